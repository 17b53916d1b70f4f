import { joinScriptLines, OWN_FOLDER_SCRIPT, START_TIME_SCRIPT } from './journal-shell.js';

export interface ForgetOptions {
  /** Removes everything of the run. Only for a run that has ended: nothing of it can start on the host afterwards. */
  whole?: boolean;
  /** Dispatches whose results are stored. Their marks remain, so that they cannot start again. */
  dispatchIds?: readonly string[];
}

/** `find` pattern for the folder of a run. Other entries are not deleted. */
const RUN_FOLDER_PATTERN = ['?'.repeat(8), ...Array.from({ length: 3 }, () => '?'.repeat(4)), '?'.repeat(12)].join('-');
const FOLDERS_PER_BATCH = 200;
/**
 * Maximum number of dispatch IDs in one text, which is sent as an argument. The remaining ones are removed later or
 * with the run.
 */
const MAX_FORGET_IDS = 150;
/** Suffixes of a dispatch's files, without its `.begin` mark. The empty suffix is the folder of earlier versions. */
const ENTRY_SUFFIXES = ['', '.sup', '.pid', '.end', '.out', '.err', '.o', '.e'];

/**
 * Text for the host's login shell. Removes files of a run and, once a day, files of any run that are older than seven
 * days. One line without `!`, backquote or single quote inside its quotes.
 *
 * @param day date of the caller, such as `2026-01-31`
 */
export const forgetCommand = (folderId: string, options: ForgetOptions, day: string): string =>
  `exec /bin/sh -c '${forgetScript(folderId, options, day)}' runward`;

/** Like `forgetCommand`, but for an idle shell that has no arguments. The removing program replaces that shell. */
export function forgetScript(
  folderId: string,
  { whole = false, dispatchIds = [] }: ForgetOptions,
  day: string,
): string {
  const named = dispatchIds.slice(-MAX_FORGET_IDS).join(' ');
  const names = ENTRY_SUFFIXES.map((ending) => `"$_rr/$_rp${ending}"`).join(' ');
  return joinScriptLines(`
    exec >/dev/null 2>&1; umask 077;
    _rh=$HOME/.runward; _rr=$_rh/${folderId}; ${OWN_FOLDER_SCRIPT}
    _rj && cd "$_rh" || exit 0;
    ${named ? `for _rp in ${named}; do set -- "$@" ${names}; done;` : ''}
    # what is left of a run keeps a launcher that comes late from starting anything
    ${whole ? 'if [ -d "$_rr" ]; then true >"$_rr/closed" && set -- "$_rr"/*-*-*-*-* "$_rr"/epoch.*; fi;' : ''}
    _rw=; read -r _rw <swept;
    if [ "$_rw" = ${day} ]; then [ $# = 0 ] || LC_ALL=C exec rm -rf "$@"; exit 0; fi;
    echo ${day} >swept;
    [ $# = 0 ] || rm -rf "$@";
    ${START_TIME_SCRIPT}
    find . -name . -o -prune -type d -name "${RUN_FOLDER_PATTERN}" -mtime +6 -print | {
      set --;
      while read -r _rd; do
        _rl=;
        for _rp in "$_rd"/*.pid "$_rd"/*/pid; do
          _r1=; read -r _r1 _r2 _rw <"$_rp" || continue;
          _rz "$_r1"; [ -n "$_rx" ] && [ "$_rx" = "$_r2" ] && _rl=1;
        done;
        [ -n "$_rl" ] || set -- "$@" "$_rd";
        [ $# -lt ${FOLDERS_PER_BATCH} ] || { rm -rf "$@"; set --; };
      done;
      [ $# = 0 ] || rm -rf "$@";
    };`);
}
