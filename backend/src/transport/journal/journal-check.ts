import { joinScriptLines, OWN_FOLDER_SCRIPT } from './journal-shell.js';

const JOURNAL_PROGRAMS = ['setsid', 'tee', 'mkfifo', 'mkdir'] as const;

/**
 * Reason why a host cannot keep a journal for its login user:
 * - `no_home`: no home directory
 * - `not_writable`: home or journal folder is not writable
 * - `not_own`: the journal folder belongs to another user, is a link, or is not a folder
 * - `full`: no free space for the login user, or a quota is reached
 * - `unwritten`: a file cannot be written for another reason, such as a file size limit
 * - `missing`: required programs are missing
 */
export type JournalFault =
  | { code: 'no_home' | 'not_writable' | 'not_own' | 'full' | 'unwritten' }
  | { code: 'missing'; programs: string[] };

/**
 * Shell text that checks whether this host can keep a journal for this user. Immediately deletes the file with which it
 * tests free space.
 */
export const JOURNAL_CHECK_SCRIPT = `${joinScriptLines(`
  _rh=$HOME/.runward; ${OWN_FOLDER_SCRIPT}
  for _rp in ${JOURNAL_PROGRAMS.join(' ')}; do type $_rp >/dev/null 2>&1 || echo missing-$_rp; done;
  case $HOME in /?*) ;; *) echo no_home; exit 0;; esac;
  [ -d "$HOME" ] || { echo no_home; exit 0; };
  if [ -e "$_rh" ] || [ -L "$_rh" ]; then
    if _rj; then _rw=$_rh; else _rw=; echo not_own; fi;
  else _rw=$HOME;
  fi;
  if [ -n "$_rw" ]; then
    if [ ! -w "$_rw" ]; then echo not_writable;
    elif type rm cat >/dev/null 2>&1; then
      _rf=$_rw/.runward-check.$$;
      # a program writes, because some shells do not print the cause
      _rp=$(LC_ALL=C; export LC_ALL; umask 077; set -C; exec 2>&1; { echo room | cat >"$_rf"; } || echo unwritten);
      rm -f "$_rf";
      case $_rp in *[Nn]o?space?left*|*[Qq]uota?exceeded*) echo full;; ?*) echo unwritten;; esac;
    fi;
  fi;
  echo looked;`)}\n`;

/** Parses the answer to {@link JOURNAL_CHECK_SCRIPT}. Returns null for no fault, undefined for no answer. */
export function parseJournalFault(output: string): JournalFault | null | undefined {
  const words = new Set(output.split('\n'));
  const programs = JOURNAL_PROGRAMS.filter((program) => words.has(`missing-${program}`));
  if (programs.length > 0) return { code: 'missing', programs };
  for (const code of ['no_home', 'not_own', 'not_writable', 'full', 'unwritten'] as const)
    if (words.has(code)) return { code };
  return words.has('looked') ? null : undefined;
}
