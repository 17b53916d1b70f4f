import type { JournalEntry } from '../remote-command.js';

/**
 * Shared POSIX shell parts of the host journal. Its files are in the login user's home, readable only by that user:
 *
 *     .runward/swept                     day on which leftovers were last removed
 *     .runward/<run id>/epoch.<n>        takeover of the run: incarnation, installation, generation
 *     .runward/<run id>/closed           nothing of the run may start any more
 *     .runward/<run id>/<id>.begin       created once: `run`, `void` (must never start) or `plain` (no journal)
 *     .runward/<run id>/<id>.sup         created once by the launcher: processes that supervise the dispatch
 *     .runward/<run id>/<id>.pid         process of the command; empty once the result is stored
 *     .runward/<run id>/<id>.out, .err   output; .o, .e: its pipes, if they need names
 *     .runward/<run id>/<id>.end         exit status
 *
 * A launcher and a concurrent attach cannot miss each other. The launcher creates `sup` and then checks for higher
 * generations. The attach creates its `epoch` mark and then checks for `sup`. If both see the other, the first to
 * create `begin` wins.
 *
 * Earlier versions kept a folder `<id>/` with `sup`, `pid`, `out`, `err` and `end`. An attach reads it, and its
 * dispatch cannot start again.
 *
 * Texts are joined to one line, so that the shell counts the lines of the command from one. They use built-in commands
 * where possible: each program costs the host a millisecond per command. The shell reads input byte by byte, which is
 * slow, so Runward passes long constant text as an argument. Such text contains no `!`, backquote or single quote.
 */
export const joinScriptLines = (text: string): string =>
  text
    .replace(/^\s*#.*$/gm, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');

const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isJournalId = (text: string): boolean => UUID_PATTERN.test(text);

/** Validates values that go to the host's shell without quoting. @returns the fault; undefined = none */
export function findJournalEntryFault({
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
 * `_rj` tests whether the journal folder belongs to the login user. Another owner could forge results and read output.
 * A link could point to unrelated files, which must not be removed.
 */
export const OWN_FOLDER_SCRIPT = joinScriptLines(`
  _rj() { if [ -L "$_rh" ]; then return 1; fi; [ -d "$_rh" ] && [ -O "$_rh" ]; };`);

/** Sets `_rc` if this host can keep a journal for this user. A missing requirement counts as permanent. */
export const CAPABILITY_SCRIPT = joinScriptLines(`
  ${OWN_FOLDER_SCRIPT}
  _rc=;
  if type setsid tee mkfifo mkdir >/dev/null 2>&1; then
    for _rp in "$_rr" "$_rh" "$HOME"; do [ -e "$_rp" ] && break; done;
    case $HOME in /?*) [ -d "$_rp" ] && [ -w "$_rp" ] && _rc=1;; esac;
    if [ -e "$_rh" ]; then _rj || _rc=; fi;
  fi;`);

/**
 * `_rz` sets `_rx` to the start time of a process in clock ticks since boot; `-` = unknown, empty = the process has
 * ended.
 */
export const START_TIME_SCRIPT = joinScriptLines(`
  _rz() {
    _rx=; { read -r _rx </proc/$1/stat; } 2>/dev/null;
    if [ -n "$_rx" ]; then
      set -- \${_rx##*") "}; _rp=$2; _rx=\${20};
      case $1 in [ZX]) _rx=;; esac;
    elif [ -e /proc/self/stat ]; then :;
    elif kill -0 "$1" 2>/dev/null; then _rx=-;
    fi;
  };`);

export const toTakeoverFileName = ({ speaker, generation }: Pick<JournalEntry, 'speaker' | 'generation'>): string =>
  `${speaker.incarnation}.${speaker.installation}.${generation}`;

/**
 * `_ro` tests whether the takeover `_rg` is refused, and sets `_ra` to the reason. Must be called before the takeover
 * creates its own mark: the mark of a wrong installation would block the right one. Marks of earlier versions contain
 * only the generation.
 */
export const REFUSAL_SCRIPT = joinScriptLines(`
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
