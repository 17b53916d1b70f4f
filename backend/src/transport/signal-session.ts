export interface SessionLeader {
  pid: number;
  /** As the acknowledgement gave it. */
  startTime: string;
}

/**
 * Text that signals the session which a command leads: its process group, and what has left the group (`timeout` does).
 * A process that only has the leader's id by now is spared; while any of the session lives, no other gets the id.
 * One line without `!`, backquote, backslash or a single quote inside its quotes, for any login shell.
 */
export function signalSessionText(leader: SessionLeader, name: 'TERM' | 'KILL', sudo = false): string {
  const { pid, startTime } = leader;
  const sameOnly = startTime === '-' ? '' : `case "\${20}" in ${startTime}|"") ;; *) exit 0;; esac; `;
  const kill = `kill -s ${name} -- -${pid} $l`;
  return (
    `exec /bin/sh -c 'exec 2>/dev/null; x=; read -r x </proc/${pid}/stat; set -- \${x##*") "}; ${sameOnly}` +
    'l=; for f in /proc/[0-9]*; do x=; read -r x <$f/stat; set -- ${x##*") "}; ' +
    `case $4:$3 in ${pid}:${pid}) ;; ${pid}:*) l="$l \${f#/proc/}";; esac; done; ` +
    `${sudo ? `sudo -n ${kill} || ` : ''}${kill}'`
  );
}
