import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export const CLI = path.resolve(import.meta.dirname, '../../../cli/dist/runward.mjs');

export interface CliResult {
  code: number | null;
  out: string;
  err: string;
}

export interface RunningCli {
  child: ChildProcess;
  printed(): { out: string; err: string };
  ended: Promise<CliResult>;
}

export interface CliOptions {
  env?: Record<string, string>;
  input?: string;
}

export interface CommandLine {
  home: string;
  env: Record<string, string>;
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  launch(args: readonly string[], options?: CliOptions): RunningCli;
  close(): Promise<void>;
}

export async function commandLine(env: Record<string, string>): Promise<CommandLine> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'runward-cli-'));
  const own = { PATH: process.env.PATH ?? '', HOME: home, ...env };
  const launch = (args: readonly string[], { env: more = {}, input = '' }: CliOptions = {}): RunningCli => {
    const child = spawn(process.execPath, [CLI, ...args], { cwd: home, env: { ...own, ...more } });
    let [out, err] = ['', ''];
    child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()));
    child.stdin.on('error', () => undefined).end(input);
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
    return { child, printed: () => ({ out, err }), ended };
  };
  return {
    home,
    env: own,
    launch,
    run: (args, options) => launch(args, options).ended,
    close: () => rm(home, { recursive: true, force: true }),
  };
}
