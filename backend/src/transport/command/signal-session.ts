import { signalLeftBehind } from './left-behind.js';
import { LAUNCHER_MARK } from '../journal/journal-start.js';

const USER = /^[a-z_][a-z0-9_-]*$/;

export interface SessionLeader {
  pid: number;
  /** As the acknowledgement gave it. */
  startTime: string;
}

/**
 * A kill by the user that a command became, in the way and with the right by which it became that user; and by the login
 * user. A polite signal is not sent twice to what got it.
 */
export function asUserToo(become: string | null, name: 'TERM' | 'KILL', kill: string): string {
  if (become === null || !USER.test(become)) return kill;
  return `echo "${kill}" | sudo -n -H -u ${become} -- /bin/sh ${name === 'TERM' ? '||' : ';'} ${kill}`;
}

/**
 * Text that signals the session which a command leads: its process group, and what has left the group (`timeout` does).
 * Processes in sessions of their own (`setsid`) are known by the start in their environment.
 * A process that only has the leader's id by now is spared; while any of the session lives, no other gets the id.
 * One line without `!`, backquote, backslash or a single quote inside its quotes, for any login shell.
 */
export function signalSessionText(
  leader: SessionLeader,
  name: 'TERM' | 'KILL',
  become: string | null = null,
  dispatchId?: string,
): string {
  const { pid, startTime } = leader;
  const sameOnly = startTime === '-' ? '' : `case "\${20}" in ${startTime}|"") ;; *) exit 0;; esac; `;
  const kill = `kill -s ${name} -- -${pid} $l`;
  return (
    `exec /bin/sh -c 'exec 2>/dev/null; x=; read -r x </proc/${pid}/stat; set -- \${x##*") "}; ${sameOnly}` +
    'l=; for f in /proc/[0-9]*; do x=; read -r x <$f/stat; set -- ${x##*") "}; ' +
    `case $4:$3 in ${pid}:${pid}) ;; ${pid}:*) l="$l \${f#/proc/}";; esac; done; ` +
    `${asUserToo(become, name, kill)}${signalLeftBehind(dispatchId, pid, name)}'`
  );
}

/** Text that ends the shell which launched a command, but no other process that has got its id. For any login shell. */
export const endLauncherText = (pid: number): string =>
  `exec /bin/sh -c 'exec 2>/dev/null; x=; read -r x </proc/${pid}/cmdline; ` +
  `case $x in *${LAUNCHER_MARK}*|"") kill -s KILL ${pid};; esac'`;
