import { LAUNCHER_MARK } from '../journal/journal-start.js';

/**
 * Shell text that ends the shell that launched a command, but not another process that reuses its ID. For any login
 * shell.
 */
export const endLauncherText = (pid: number): string =>
  `exec /bin/sh -c 'exec 2>/dev/null; x=; read -r x </proc/${pid}/cmdline; ` +
  `case $x in *${LAUNCHER_MARK}*|"") kill -s KILL ${pid};; esac'`;
