import { LAUNCHER_MARK } from '../journal/journal-start.js';

/**
 * Returns a shell text that ends the shell which launched a command, but no other process that reuses its ID. Works in
 * any login shell.
 */
export const endLauncherCommand = (pid: number): string =>
  `exec /bin/sh -c 'exec 2>/dev/null; x=; read -r x </proc/${pid}/cmdline; ` +
  `case $x in *${LAUNCHER_MARK}*|"") kill -s KILL ${pid};; esac'`;
