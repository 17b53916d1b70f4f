import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { KeyHosts } from './key-hosts.js';

export interface CommandResult {
  code: number | null;
  text: string;
}

/** Runs the command of an enrolment like cloud-init: without terminal, standard input and HOME. */
export function runCommand(
  command: string,
  env: Record<string, string> = {},
  shell: readonly string[] = ['sh'],
): Promise<CommandResult> {
  const [program = 'sh', ...args] = shell;
  const child = spawn(program, [...args, '-c', command], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text }));
  });
}

export interface HostKeyFolder {
  path: string;
  /** Writes `ssh_host_<name>_key.pub`. */
  write(name: string, line: string): void;
  remove(): void;
}

export function hostKeyFolder(): HostKeyFolder {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'runward-host-keys-'));
  chmodSync(folder, 0o755);
  return {
    path: folder,
    write: (name, line) => writeFileSync(path.join(folder, `ssh_host_${name}_key.pub`), line),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const hostPaths = (hosts: KeyHosts, address: string, keys: HostKeyFolder): Record<string, string> => ({
  RUNWARD_ADDRESS: address,
  RUNWARD_HOME: hosts.home(address),
  RUNWARD_HOST_KEYS: keys.path,
  RUNWARD_WAIT: '20',
});

/**
 * Creates a folder for PATH that contains only these programs.
 * @param names program names; `busybox`: all its applets
 */
export function toolFolder(names: readonly string[] | 'busybox'): { path: string; remove: () => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'runward-tools-'));
  chmodSync(folder, 0o755);
  const placeOf = (name: string) =>
    execFileSync('sh', ['-c', `command -v ${name} || true`])
      .toString()
      .trim();
  if (names === 'busybox') {
    const busybox = placeOf('busybox');
    for (const applet of execFileSync(busybox, ['--list']).toString().trim().split('\n'))
      symlinkSync(busybox, path.join(folder, applet));
    // Debian's busybox has no `su`.
    if (!existsSync(path.join(folder, 'su'))) symlinkSync(placeOf('su'), path.join(folder, 'su'));
  } else {
    for (const name of names) {
      const place = placeOf(name);
      if (place.startsWith('/')) symlinkSync(place, path.join(folder, name));
    }
  }
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
