import { joined, OWN_FOLDER, START_TIME } from './journal-shell.js';

export interface ForgetOptions {
  /** Everything of the run, which has ended: nothing of it can be started on the host any more. */
  whole?: boolean;
  /** Dispatches whose results are stored. They can't be started again. */
  dispatchIds?: readonly string[];
}

/** As `find` knows the folder of a run: whatever else stands there stays. */
const RUN_NAME = ['?'.repeat(8), ...Array.from({ length: 3 }, () => '?'.repeat(4)), '?'.repeat(12)].join('-');
/** So many folders go with one process. */
const AT_ONCE = 200;
/** Names that one text may hold: it goes to the host as an argument. What is left goes with the run, or later. */
const MOST_IDS = 150;
/** What a dispatch leaves behind, its mark excepted. Nothing: the folder that versions before made. */
const LEFT = ['', '.sup', '.pid', '.end', '.out', '.err', '.o', '.e'];

/**
 * What the login shell of a host runs to remove what the host keeps of a run, and, once a day, what any run left there
 * for more than seven days. One line without `!`, backquote or single quote inside its quotes.
 *
 * @param day of the one who asks, as `2026-01-31`
 */
export const forgetText = (folderId: string, options: ForgetOptions, day: string): string =>
  `exec /bin/sh -c '${forgetBody(folderId, options, day)}' runward`;

/** The same for a shell without arguments that does nothing else any more: it becomes the program that removes. */
export function forgetBody(folderId: string, { whole = false, dispatchIds = [] }: ForgetOptions, day: string): string {
  const named = dispatchIds.slice(-MOST_IDS).join(' ');
  const names = LEFT.map((ending) => `"$_rr/$_rp${ending}"`).join(' ');
  return joined(`
    exec >/dev/null 2>&1; umask 077;
    _rh=$HOME/.runward; _rr=$_rh/${folderId}; ${OWN_FOLDER}
    _rj && cd "$_rh" || exit 0;
    ${named ? `for _rp in ${named}; do set -- "$@" ${names}; done;` : ''}
    # what is left of a run keeps a launcher that comes late from starting anything
    ${whole ? 'if [ -d "$_rr" ]; then true >"$_rr/closed" && set -- "$_rr"/*-*-*-*-* "$_rr"/epoch.*; fi;' : ''}
    _rw=; read -r _rw <swept;
    if [ "$_rw" = ${day} ]; then [ $# = 0 ] || LC_ALL=C exec rm -rf "$@"; exit 0; fi;
    echo ${day} >swept;
    [ $# = 0 ] || rm -rf "$@";
    ${START_TIME}
    find . -name . -o -prune -type d -name "${RUN_NAME}" -mtime +6 -print | {
      set --;
      while read -r _rd; do
        _rl=;
        for _rp in "$_rd"/*.pid "$_rd"/*/pid; do
          _r1=; read -r _r1 _r2 _rw <"$_rp" || continue;
          _rz "$_r1"; [ -n "$_rx" ] && [ "$_rx" = "$_r2" ] && _rl=1;
        done;
        [ -n "$_rl" ] || set -- "$@" "$_rd";
        [ $# -lt ${AT_ONCE} ] || { rm -rf "$@"; set --; };
      done;
      [ $# = 0 ] || rm -rf "$@";
    };`);
}
