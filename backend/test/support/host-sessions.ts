import { readdir, readFile } from 'node:fs/promises';

interface Process {
  pid: number;
  parent: number;
  name: string;
}

/** Kills the connections of these sshd processes, like a network failure. Commands on the host continue. */
export async function endSessions(servers: readonly number[]): Promise<void> {
  for (const { pid } of sessionsOf(servers, await processes())) process.kill(pid, 'SIGKILL');
}

/** Stops connections that run no command, like a network that drops all packets. */
export async function freezeIdleSessions(servers: readonly number[]): Promise<void> {
  const all = await processes();
  const isWorking = ({ pid }: Process): boolean => {
    const children = all.filter(({ parent }) => parent === pid);
    return children.some((child) => !child.name.startsWith('sshd') || isWorking(child));
  };
  for (const session of sessionsOf(servers, all)) if (!isWorking(session)) process.kill(session.pid, 'SIGSTOP');
}

function sessionsOf(servers: readonly number[], all: readonly Process[]): Process[] {
  const below = (each: Process): boolean => {
    if (servers.includes(each.parent)) return true;
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
