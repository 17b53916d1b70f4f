import type { JournalEntry } from '../remote-command.js';

/**
 * What the texts of the host's journal share, as POSIX shell text. In the login user's home, readable for that user only:
 *
 *     .runward/swept                     the day on which leftovers were last removed
 *     .runward/<run id>/epoch.<n>        the take-overs of the run that this host has seen: incarnation, installation, generation
 *     .runward/<run id>/closed           nothing of the run may start any more
 *     .runward/<run id>/<id>.begin       taken once: `run`, `void` (must never start) or `plain` (no journal)
 *     .runward/<run id>/<id>.sup         made once, by who launches the dispatch; who supervises it and keeps its output
 *     .runward/<run id>/<id>.pid         who runs; empty once the result is stored
 *     .runward/<run id>/<id>.out, .err   what was kept of the output; .o, .e: the way there, where it needs a name
 *     .runward/<run id>/<id>.end         the exit status
 *
 * A launcher makes `sup` first and then looks for higher generations; an attach makes its own first and then looks for
 * `sup`: one of them sees the other. `begin` decides between the two at last. Versions before kept a folder `<id>/` with
 * `sup`, `pid`, `out`, `err` and `end`: an attach reads it, and nothing is started beside it; the marks are the same.
 *
 * Texts are joined to one line, so that the shell counts the lines of the command from one. Only built-in commands
 * where it can be: each program costs the host a millisecond per command. The shell reads its input byte by byte, so
 * what is long and always the same is no input but an argument; for that it has no `!`, backquote or single quote.
 */
export const joined = (text: string): string =>
  text
    .replace(/^\s*#.*$/gm, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isJournalId = (text: string): boolean => UUID.test(text);

/** Only what is checked here goes to the host's shell as it is. @returns what is wrong with it, if anything is */
export function faultOfEntry({
  speaker,
  folderId,
  dispatchId,
  generation,
  spoolBytes,
  forget = [],
  remove = [],
}: JournalEntry): string | undefined {
  const ids = [speaker.installation, folderId, dispatchId, ...forget, ...remove];
  if (!ids.every(isJournalId)) return 'The journal names installations, runs and dispatches by UUIDs in lower case.';
  const numbers = [speaker.incarnation, generation, spoolBytes];
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0))
    return 'Incarnation, epoch and spool size of the journal are whole numbers from 0.';
  return undefined;
}

/**
 * _rj: whether the folder of the journals is the login user's own. In one that somebody else may change, results could be
 * forged and output read; one that a link leads to may be the place of other things, which are not ours to remove.
 */
export const OWN_FOLDER = joined(`
  _rj() { if [ -L "$_rh" ]; then return 1; fi; [ -d "$_rh" ] && [ -O "$_rh" ]; };`);

/** Whether this host can keep a journal for this user: what is missing is missing for good, not for the moment. */
export const CAPABLE = joined(`
  ${OWN_FOLDER}
  _rc=;
  if type setsid tee mkfifo mkdir >/dev/null 2>&1; then
    for _rp in "$_rr" "$_rh" "$HOME"; do [ -e "$_rp" ] && break; done;
    case $HOME in /?*) [ -d "$_rp" ] && [ -w "$_rp" ] && _rc=1;; esac;
    if [ -e "$_rh" ]; then _rj || _rc=; fi;
  fi;`);

/** _rx: start time of a process (clock ticks since boot), `-` where the host does not tell, empty if it has ended. */
export const START_TIME = joined(`
  _rz() {
    _rx=; { read -r _rx </proc/$1/stat; } 2>/dev/null;
    if [ -n "$_rx" ]; then
      set -- \${_rx##*") "}; _rp=$2; _rx=\${20};
      case $1 in [ZX]) _rx=;; esac;
    elif [ -e /proc/self/stat ]; then :;
    elif kill -0 "$1" 2>/dev/null; then _rx=-;
    fi;
  };`);

/** Name of a take-over: what the host's mark of it ends with. */
export const takeOverOf = ({ speaker, generation }: Pick<JournalEntry, 'speaker' | 'generation'>): string =>
  `${speaker.incarnation}.${speaker.installation}.${generation}`;

/**
 * _ro: whether the take-over `_rg` is refused; `_ra` says why. Marks of versions before hold the generation only. Asked
 * before its own mark is made as well: a mark of another installation would keep the right one out.
 */
export const REFUSES = joined(`
  _ro() {
    _rw=\${_rg#*.}; _rw=\${_rw%.*};
    for _rp in "$_rr"/epoch.*; do
      _rx=\${_rp##*/epoch.};
      case $_rx in
        *.$_rw.*)
          if [ \${_rx%%.*} -gt \${_rg%%.*} ]; then _ra=older_incarnation; return 0; fi;
          if [ \${_rx%%.*} = \${_rg%%.*} ] && [ \${_rx##*.} -gt \${_rg##*.} ]; then _ra=older_epoch; return 0; fi;;
        *.*.*) _ra=other_installation; return 0;;
        *) if [ "$_rx" -gt \${_rg##*.} ]; then _ra=older_epoch; return 0; fi;;
      esac;
    done 2>/dev/null;
    return 1;
  };`);
