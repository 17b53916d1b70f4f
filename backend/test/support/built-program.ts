import path from 'node:path';

/** File of a program that the build produced. */
export const builtProgram = (name: 'main' | 'admin' | 'seed'): string =>
  path.resolve(import.meta.dirname, `../../dist/bundle/${name}.js`);
