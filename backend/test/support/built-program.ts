import path from 'node:path';

export const builtProgram = (name: 'main' | 'admin'): string =>
  path.resolve(import.meta.dirname, `../../dist/bundle/${name}.js`);
