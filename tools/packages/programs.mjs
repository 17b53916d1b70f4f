/** Programs that build packages. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LIMIT_MS = 900_000;

/**
 * Runs a program and returns its standard output.
 *
 * @throws Error with the program's standard error
 */
export const program = async (name, args, options = {}) =>
  (await run(name, args, { timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024, ...options })).stdout;

/** Returns the name of the program if it is not installed, otherwise null. */
export const missingProgram = (name) =>
  run(name, ['--version']).then(
    () => null,
    () => name,
  );
