import type { AttachRequest, JournalEntry } from '../remote-command.js';
import { markStderr, plainStart } from './start-acknowledgement.js';

/**
 * The host's side of the journal, as POSIX shell text for standard input (see `bootstrapInput`). In the login user's
 * home, readable for that user only:
 *
 *     .runward/<run id>/epoch.<n>             the take-overs of the run that this host has seen
 *     .runward/<run id>/closed                nothing of the run may start any more
 *     .runward/<run id>/<dispatch id>.begin   taken once: `run`, `void` (must never start) or `plain` (no journal)
 *     .runward/<run id>/<dispatch id>/        made once; o, e: the command's output; out, err: what was kept of it;
 *                                             sup: who supervises; pid: who runs; end: the exit status
 *
 * A launcher makes the folder first and then looks for higher generations; an attach makes its own first and then looks
 * for the folder: one of them sees the other. `begin` decides between the two at last.
 *
 * Texts are joined to one line, so that the shell counts the lines of the command from one. Only built-in commands
 * where it can be: each program costs the host a millisecond per command.
 */
export const joined = (text: string): string =>
  text
    .replace(/^\s*#.*$/gm, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Only what is checked here goes into shell text as it is. @returns what is wrong with it, if anything is */
export function faultOfEntry({
  folderId,
  dispatchId,
  generation,
  spoolBytes,
  forget = [],
}: JournalEntry): string | undefined {
  const ids = [folderId, dispatchId, ...forget];
  if (!ids.every((id) => UUID.test(id))) return 'The journal names its runs and dispatches by UUIDs in lower case.';
  const numbers = [generation, spoolBytes];
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0))
    return 'Epoch and spool size of the journal are whole numbers from 0.';
  return undefined;
}

export const isJournalId = (text: string): boolean => UUID.test(text);

const folders = ({ folderId, dispatchId }: Pick<JournalEntry, 'folderId' | 'dispatchId'>) =>
  `_rh=$HOME/.runward; _rr=$_rh/${folderId}; _rd=$_rr/${dispatchId};`;

/** _rx: start time of a process (clock ticks since boot), `-` where the host does not tell, empty if it has ended. */
const START_TIME = joined(`
  _rz() {
    _rx=; { read -r _rx </proc/$1/stat; } 2>/dev/null;
    if [ -n "$_rx" ]; then
      set -- \${_rx##*") "}; _rp=$2; _rx=\${20};
      case $1 in [ZX]) _rx=;; esac;
    elif [ -e /proc/self/stat ]; then :;
    elif kill -0 "$1" 2>/dev/null; then _rx=-;
    fi;
  };`);

/**
 * _rj: whether the folder of the journals is the login user's own. In one that somebody else may change, results could be
 * forged and output read; one that a link leads to may be the place of other things, which are not ours to remove.
 */
export const OWN_FOLDER = joined(`_rj() { [ -d "$_rh" ] && [ ! -L "$_rh" ] && [ -O "$_rh" ]; };`);

/** Whether this host can keep a journal for this user: what is missing is missing for good, not for the moment. */
const CAPABLE = joined(`
  ${OWN_FOLDER}
  _rc=;
  if type setsid tee mkfifo mkdir >/dev/null 2>&1; then
    for _rp in "$_rr" "$_rh" "$HOME"; do [ -e "$_rp" ] && break; done;
    case $HOME in /?*) [ -d "$_rp" ] && [ -w "$_rp" ] && _rc=1;; esac;
    [ ! -e "$_rh" ] || _rj || _rc=;
  fi;`);

/**
 * _ru: for how many seconds the host has been up, `-` where it does not tell. The age of its first process: a container
 * that was made anew has one of its own, and tells the uptime of its machine. Where the two are counted from different
 * moments (the uptime is the container's, the ticks are the machine's), the uptime is the container's age.
 */
const UPTIME = joined(`
  _ry() {
    _ru=; read -r _ru _rx </proc/uptime; _ru=\${_ru%%.*};
    case $_ru in ''|*[!0-9]*) _ru=-; return;; esac;
    _rx=; read -r _rx </proc/1/stat; set -- \${_rx##*") "}; _rx=\${20};
    case $_rx in ''|*[!0-9]*) return;; esac;
    _rp=$(getconf CLK_TCK); case $_rp in ''|0*|*[!0-9]*) _rp=100;; esac;
    _rx=$((_ru-_rx/_rp)); [ $_rx -lt 0 ] || _ru=$_rx;
  };`);

const OLDER_GENERATION = (generation: number): string =>
  joined(`for _rp in "$_rr"/epoch.*; do [ "\${_rp##*.}" -gt ${generation} ] && _ra=older_epoch; done 2>/dev/null;`);

/** The whole input for a command that the host keeps a journal of. */
export function journalInput(nonce: string, script: string, entry: JournalEntry): string {
  return `${launcher(nonce, entry)}\n${leader(nonce, entry)}\n${script}\n${nonce}`;
}

/**
 * Runs in the session that sshd made. It starts the command in a session of its own, so that it outlives a signal to
 * it, waits for it and ends with its exit status.
 */
function launcher(nonce: string, entry: JournalEntry): string {
  const { generation, spoolBytes, forget = [], orRefuse = false } = entry;
  const blocks = Math.max(1, Math.ceil(spoolBytes / 512));
  const withoutOurs = 'exec 3>&- 4>&- 7>&- 8<&- 9>&-';
  const forgotten = forget.map((id) => `"$_rr/${id}"`).join(' ');
  // LC_ALL=C: programs start in half the time when they load no language
  return joined(`
    exec 7>&2 2>/dev/null;
    ${folders(entry)} ${CAPABLE}
    _ra=plain;
    if [ -n "$_rc" ] && [ ! -d "$_rr" ]; then
      mkdir -m 700 "$_rh" "$_rr";
      # somebody else may have been quicker
      [ ! -e "$_rh" ] || _rj || _rc=;
    fi;
    ${orRefuse ? '[ -n "$_rc" ] || _ra=cannot_journal;' : ''}
    if [ -n "$_rc" ]; then
      if [ -e "$_rd.begin" ]; then read -r _rc <"$_rd.begin"; _ra=already_started; [ "$_rc" = void ] && _ra=voided;
      elif LC_ALL=C mkdir -m 700 "$_rd"; then
        _ra=journal;
        [ -e "$_rr/epoch.${generation}" ] || true >"$_rr/epoch.${generation}" || _ra=no_journal;
        ${OLDER_GENERATION(generation)}
        [ -e "$_rr/closed" ] && _ra=run_ended;
      elif [ -d "$_rd" ]; then _ra=already_started;
      else _ra=no_journal;
      fi;
    fi;
    set -C;
    case $_ra in
      journal) LC_ALL=C mkfifo -m 600 "$_rd/o" "$_rd/e" ||
        if echo plain >"$_rd.begin"; then _ra=plain; else _ra=no_journal; fi;;
      older_epoch) echo void >"$_rd.begin";;
    esac;
    set +C;
    if [ $_ra = journal ]; then
      exec 8<&0 9>&1 3<>"$_rd/o" 4<>"$_rd/e";
      # /dev/null keeps tee reading when it can write neither to a channel that is gone nor to a spool that is full
      _rt() { trap "" PIPE XFSZ HUP INT TERM; umask 077; ulimit -f ${blocks}; ${withoutOurs}; LC_ALL=C exec tee "$_rd/$1" /dev/null; };
      _rt out <"$_rd/o" >&9 & _r1=$!;
      # nobody may listen any more: what was sent is started all the same
      trap "" PIPE; ${markStderr(nonce, 7)} trap - PIPE;
      _rt err <"$_rd/e" >&7 & _r2=$!;
      _rs=; _rz() { _rx=; read -r _rx </proc/$1/stat; set -- $1 \${_rx##*") "}; _rs="$_rs $1 \${21:--}"; };
      _rz $$; _rz $PPID; _rz $_r1; _rz $_r2;
      if echo "$_rs" >"$_rd/sup" && echo .... >"$_rd/end"; then
        setsid /bin/sh -c 'IFS= read -r _rs || exit 125; eval "$_rs"' runward <&8 >"$_rd/o" 2>"$_rd/e" 3>&- 4>&- 7>&- 8<&-;
        _rs=$?;
        echo " $_rs" 1<>"$_rd/end";
        [ -e "$_rd.begin" ] || { set -C; echo void >"$_rd.begin"; set +C; };
        ${forgotten ? `{ ${withoutOurs}; exec rm -rf ${forgotten}; } >/dev/null &` : ''}
        exit $_rs;
      fi;
      _ra=no_journal;
    fi;
    if [ $_ra = plain ]; then
      IFS= read -r _rs || exit 125;
      unset _rh _rr _rd _rc _rp _ra; unset -f _rj; exec 2>&7 7>&-;
      ${plainStart(nonce, ' plain')};
    else printf "%s 0 %s\\n" ${nonce} $_ra; exit 125;
    fi;`);
}

/** Leads the session of the command and becomes it. What it says before goes to the channel, not to the spool. */
function leader(nonce: string, entry: JournalEntry): string {
  return joined(`
    _rs=$(cat); case $_rs in *"${nonce}") ;; *) exit 125;; esac; _rs=\${_rs%"${nonce}"};
    exec </dev/null; ${folders(entry)}
    _rx=; { read -r _rx </proc/$$/stat; } 2>/dev/null; set -- \${_rx##*") "}; _rx=\${20:--}; set --;
    _rb=-; { read -r _rb </proc/sys/kernel/random/boot_id; } 2>/dev/null;
    _ra=; _rw=;
    if echo "$$ $_rx $_rb" 2>/dev/null >"$_rd/pid"; then
      set -C;
      echo run 2>/dev/null >"$_rd.begin" && _ra="$$ journal $_rx";
      set +C;
    fi;
    if [ -z "$_ra" ]; then
      { read -r _rw <"$_rd.begin"; } 2>/dev/null;
      case $_rw in void) _ra=voided;; ?*) _ra=already_started;; *) _ra=no_journal;; esac;
      printf "%s 0 %s\\n" ${nonce} $_ra >&9; exit 125;
    fi;
    trap "" PIPE; printf "%s %s\\n" ${nonce} "$_ra" 2>/dev/null >&9; trap - PIPE; exec 9>&-;
    eval "unset _rs _rh _rr _rd _rx _rb _ra _rw;$_rs"`);
}

/** Tenths of a second that a launcher gets to begin what it has marked as started. */
const GRACE = 20;

/** The whole input for an attach. */
export function attachInput(
  nonce: string,
  { journal: entry, ifAbsent }: Pick<AttachRequest, 'journal' | 'ifAbsent'>,
): string {
  const answer = (words: string) => `{ printf "%s 0 %s\\n" ${nonce} "${words}"; exit 0; }`;
  // what a host does not know may have been on it before it came up
  const neverStarted = `{ _ry; ${answer('never_started $_ru')}; }`;
  const takeAsVoid = `{ set -C; if echo void >"$_rd.begin"; then ${neverStarted}; fi; set +C; }`;
  const absent = ifAbsent === 'void' ? takeAsVoid : neverStarted;
  return `${joined(`
    exec 7>&2 2>/dev/null; umask 077;
    ${folders(entry)} ${CAPABLE} ${START_TIME} ${UPTIME}
    _rl() { [ -n "$1" ] && { _rz "$1"; [ -n "$_rx" ] && [ "$_rx" = "$2" ]; }; };
    _rn() { sleep 0.1 || sleep 1; };
    _ra=;
    [ ! -e "$_rh" ] || _rj || ${answer('no_journal')};
    if [ ${ifAbsent} = void ] && [ -n "$_rc" ] && [ ! -d "$_rr" ]; then mkdir -m 700 "$_rh" "$_rr"; fi;
    if [ -d "$_rr" ]; then
      [ -e "$_rr/epoch.${entry.generation}" ] || true >"$_rr/epoch.${entry.generation}" || _rc=;
      ${OLDER_GENERATION(entry.generation)}
      [ -z "$_ra" ] || ${answer('older_epoch')};
      if [ -e "$_rr/closed" ]; then ${answer('forgotten')}; fi;
    elif [ ${ifAbsent} = void ]; then _rc=;
    fi;
    _ri=0;
    while :; do
      _rw=; [ -e "$_rd.begin" ] && read -r _rw <"$_rd.begin";
      case $_rw in
        run) break;;
        void) ${neverStarted};;
        plain) ${answer('no_journal')};;
      esac;
      if [ ! -e "$_rd.begin" ]; then
        [ -n "$_rc" ] || ${answer('no_journal')};
        if [ ! -d "$_rd" ]; then ${absent};
        elif [ $_ri -ge ${GRACE} ]; then ${takeAsVoid};
        fi;
      elif [ $_ri -ge ${GRACE} ]; then
        # its taker died before it wrote a word, unless it still lives
        _r1=; _r2=; { read -r _r1 _r2 _rw <"$_rd/pid"; };
        _rl "$_r1" "$_r2" || ${neverStarted};
      fi;
      _ri=$((_ri+1)); [ $_ri -gt 100 ] && ${answer('undecided')};
      _rn;
    done;
    [ -e "$_rd/pid" ] && [ -e "$_rd/sup" ] || ${answer('forgotten')};
    read -r _cp _cs _cb <"$_rd/pid";
    read -r _sp _ss _hp _hs _op _os _ep _es <"$_rd/sup";
    _rf() { _rw=; read -r _rw <"$_rd/end"; case $_rw in ''|*[!0-9]*) _rw=; return 1;; esac; };
    if _rf; then :; else
      _rb=-; read -r _rb </proc/sys/kernel/random/boot_id;
      case $_rb:$_cb in -:*|*:-) ;; *) [ "$_rb" = "$_cb" ] || ${answer('rebooted')};; esac;
      if _rl "$_sp" "$_ss" || _rf || _rl "$_cp" "$_cs"; then :; else ${answer('vanished')}; fi;
    fi;
    # a connection that nobody reads any more would hold the command back: its session on this host is ended
    _rg() {
      _rw=$1;
      while [ "\${_rw:-0}" -gt 1 ]; do
        _rx=; read -r _rx </proc/$_rw/comm;
        case $_rx in sshd*|dropbear*) return;; esac;
        _rz $_rw; [ -n "$_rx" ] || break; _rw=$_rp;
      done; _rw=;
    };
    _rg $PPID; _ro=$_rw; _rw=;
    if { _rl "$_op" "$_os" || _rl "$_ep" "$_es"; } && _rl "$_hp" "$_hs"; then _rg $_hp; fi;
    _hp=$_rw; _hs=; [ "$_hp" = "$_ro" ] && _hp=;
    [ -z "$_hp" ] || { _rz $_hp; _hs=$_rx; kill -s TERM $_hp; };
    _rz $$; _rq=$_rp;
    _ro=; _re=;
    _rk() {
      if [ -z "$_ro" ] && [ -e "$_rd/out" ]; then exec 5<"$_rd/out"; _ro=1; fi;
      if [ -z "$_re" ] && [ -e "$_rd/err" ]; then exec 6<"$_rd/err"; _re=1; fi;
      if [ -n "$_ro" ]; then cat <&5 || exit 1; fi;
      if [ -n "$_re" ]; then cat <&6 >&7 || exit 1; fi;
      _rz $$; [ "$_rp" = "$_rq" ] || exit 1;
    };
    ${markStderr(nonce, 7)}
    printf "%s %s attached %s\\n" ${nonce} "$_cp" "$_cs" || exit 1;
    _ri=0;
    while :; do
      # asked in this order before the last look: no output comes after both tees are gone
      _ru=; _rl "$_sp" "$_ss" && _ru=1;
      _rt=; { _rl "$_op" "$_os" || _rl "$_ep" "$_es"; } && _rt=1;
      _rk;
      if _rf; then
        [ -z "$_rt" ] && exit $_rw;
        _ri=$((_ri+1));
        if [ $_ri -ge 10 ]; then
          # something else keeps the output open: tell the status, and go on for as long as anybody listens
          { _ri=0; _rq=;
            while [ $_ri -lt 700 ] && { _rl "$_op" "$_os" || _rl "$_ep" "$_es"; }; do
              cat <&5 || exit 1; cat <&6 >&7 || exit 1; _ri=$((_ri+1)); _rn;
            done; cat <&5; cat <&6 >&7; } &
          exit $_rw;
        fi;
      elif [ -z "$_ru" ] && { _rl "$_cp" "$_cs"; [ -z "$_rx" ] || [ "$_rx" != "$_cs" ]; }; then
        [ -n "$_rt" ] && _ri=$((_ri+1));
        if [ -z "$_rt" ] || [ $_ri -ge 10 ]; then kill -s KILL $$; fi;
      fi;
      if [ -n "$_hp" ] && [ $_ri -ge 5 ] && _rl "$_hp" "$_hs"; then kill -s KILL $_hp; fi;
      sleep 0.2 || sleep 1;
    done;`)}\n`;
}

/** As `find` knows the folder of a run: whatever else stands there stays. */
const RUN_NAME = ['?'.repeat(8), ...Array.from({ length: 3 }, () => '?'.repeat(4)), '?'.repeat(12)].join('-');

/** The whole input that removes what the host keeps of a run, and what any run left there for more than seven days. */
export function forgetInput(folderId: string, { whole = false, dispatchIds = [] }: ForgetOptions): string {
  const named = dispatchIds.map((id) => `"$_rr/${id}"`).join(' ');
  return `${joined(`
    exec >/dev/null 2>&1; umask 077;
    _rh=$HOME/.runward; _rr=$_rh/${folderId}; ${OWN_FOLDER}
    _rj && cd "$_rh" || exit 0;
    ${named ? `rm -rf ${named};` : ''}
    # what is left of a run keeps a launcher that comes late from starting anything
    ${whole ? 'if [ -d "$_rr" ]; then true >"$_rr/closed" && rm -rf "$_rr"/*-*-*-*-* "$_rr"/epoch.*; fi;' : ''}
    ${START_TIME}
    find . ! -name . -prune -type d -name "${RUN_NAME}" -mtime +6 | while read -r _rd; do
      _rl=;
      for _rp in "$_rd"/*/pid; do
        _r1=; read -r _r1 _r2 _rw <"$_rp" || continue;
        _rz "$_r1"; [ -n "$_rx" ] && [ "$_rx" = "$_r2" ] && _rl=1;
      done;
      [ -n "$_rl" ] || rm -rf "$_rd";
    done;`)}\n`;
}

export interface ForgetOptions {
  /** Everything of the run, which has ended: nothing of it can be started on the host any more. */
  whole?: boolean;
  /** Dispatches whose results are stored. They can't be started again. */
  dispatchIds?: readonly string[];
}
