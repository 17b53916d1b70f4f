import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { builtProgram } from './built-program.js';
import { TEST_MASTER_KEY } from './master-key.js';

export interface ProgramResult {
  code: number | null;
  output: string;
  errors: string;
}

interface ProgramEnvironment {
  database: { url: string; appUrl: string };
  dataDir: string;
  settings?: NodeJS.ProcessEnv;
}

const PROGRAMS = {
  admin: builtProgram('admin'),
  seed: path.resolve(import.meta.dirname, '../../../tools/seeding/main.mjs'),
};

/** Starts a program (`npm run admin -- …` or `npm run seed -- …`) on this database. */
export function launchProgram(
  program: keyof typeof PROGRAMS,
  args: readonly string[],
  { database, dataDir, settings }: ProgramEnvironment,
): { child: ChildProcess; ended: Promise<ProgramResult> } {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    RUNWARD_DATABASE_APP_URL: database.appUrl,
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_MASTER_KEY: TEST_MASTER_KEY.key.toString('base64'),
    ...settings,
  };
  const child = spawn(process.execPath, [PROGRAMS[program], ...args], { env });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output, errors })) };
}
