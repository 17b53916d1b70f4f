import { readdir, readFile } from 'node:fs/promises';

interface Process {
  pid: number;
  parent: number;
  name: string;
}

/** Ends the connections that an sshd holds, as a broken network would: what was started over them goes on. */
export async function endSessions(sshd: number): Promise<void> {
  for (const { pid } of sessionsOf(sshd, await processes())) process.kill(pid, 'SIGKILL');
}

/** Makes the connections that run no command stand still, as a network does that swallows everything. */
export async function freezeIdleSessions(sshd: number): Promise<void> {
  const all = await processes();
  const works = ({ pid }: Process): boolean => {
    const children = all.filter(({ parent }) => parent === pid);
    return children.some((child) => !child.name.startsWith('sshd') || works(child));
  };
  for (const session of sessionsOf(sshd, all)) if (!works(session)) process.kill(session.pid, 'SIGSTOP');
}

/** Processes of an sshd's connections. */
function sessionsOf(sshd: number, all: readonly Process[]): Process[] {
  const below = (each: Process): boolean => {
    if (each.parent === sshd) return true;
    const parent = all.find(({ pid }) => pid === each.parent);
    return parent !== undefined && below(parent);
  };
  return all.filter((each) => each.name.startsWith('sshd') && below(each));
}

async function processes(): Promise<Process[]> {
  const entries = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(entries.map((entry) => readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap((stat) => {
    const [, pid, name, parent] = /^(\d+) \((.*)\) \S (\d+)/s.exec(stat) ?? [];
    return name === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), name }];
  });
}
