import { isJournalId } from '../journal/journal-shell.js';
import type { ProcessLeft } from '../remote-command.js';

/** Variable of a command's environment that names its start, and that processes which it leaves behind have too. */
export const START_VARIABLE = 'RUNWARD_DISPATCH_ID';
const MOST_LEFT = 5;
const LEFT = /^(\d{1,10}) ([\w.:+@/-]{1,15})$/;

/** Files below /proc of processes with this start in their environment; they outlive its session (`setsid`). */
const filesOf = (dispatchId: string): string => `$(grep -l ${START_VARIABLE}=${dispatchId} /proc/[0-9]*/environ)`;

/**
 * Text that tells which processes a start has left behind: those of the session that its command led, and those with
 * its name in their environment. For any login shell.
 */
export const leftBehindText = (dispatchId: string, session: number): string =>
  `exec /bin/sh -c 'exec 2>/dev/null; l=; for f in /proc/[0-9]*; do x=; read -r x <$f/stat; set -- \${x##*") "}; ` +
  `case $4 in ${session}) l="$l $f";; esac; done; ` +
  `for f in ${filesOf(dispatchId)}; do f=\${f%/environ}; case "$l " in *"$f "*) ;; *) l="$l $f";; esac; done; ` +
  `for f in $l; do x=; read -r x <$f/comm; echo left \${f#/proc/} $x; done'`;

/** Shell text that signals those outside a session, which is signalled as a whole; empty: the start has no name. */
export const signalLeftBehind = (dispatchId: string | undefined, session: number, name: 'TERM' | 'KILL'): string =>
  dispatchId !== undefined && isJournalId(dispatchId)
    ? `; for f in ${filesOf(dispatchId)}; do f=\${f%/environ}; x=; read -r x <$f/stat; set -- \${x##*") "}; ` +
      `[ "$4" = ${session} ] || kill -s ${name} \${f#/proc/}; done`
    : '';

/** What the host answered to {@link leftBehindText}; at most five. */
export function leftBehindIn(output: string): ProcessLeft[] {
  return output
    .split('\n')
    .flatMap((line) => {
      const [, pid, name] = LEFT.exec(line.replace(/^left /, '')) ?? [];
      return pid === undefined || name === undefined || !line.startsWith('left ') ? [] : [{ pid: Number(pid), name }];
    })
    .slice(0, MOST_LEFT);
}
