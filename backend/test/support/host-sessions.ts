import { readdir, readFile } from 'node:fs/promises';

/** Ends the connections that an sshd holds, as a broken network would: what was started over them goes on. */
export async function endSessions(sshd: number): Promise<void> {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const entry of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat) ?? [];
    if (name === undefined) continue;
    parents.set(Number(entry), Number(parent));
    names.set(Number(entry), name);
  }
  const below = (pid: number): boolean =>
    parents.get(pid) === sshd || (parents.has(pid) && below(parents.get(pid) ?? 0));
  for (const [pid, name] of names) if (name.startsWith('sshd') && below(pid)) process.kill(pid, 'SIGKILL');
}
