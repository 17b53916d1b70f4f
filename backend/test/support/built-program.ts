import path from 'node:path';

/** The file of a program as it is built and started for users. */
export const builtProgram = (name: 'main' | 'admin' | 'seed'): string =>
  path.resolve(import.meta.dirname, `../../dist/bundle/${name}.js`);
