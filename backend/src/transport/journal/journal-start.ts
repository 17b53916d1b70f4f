import type { JournalEntry } from '../remote-command.js';
import { CAPABILITY_SCRIPT, joinScriptLines, REFUSAL_SCRIPT, toTakeoverFileName } from './journal-shell.js';
import { HANDSHAKE_SCRIPT } from './handshake.js';
import { toBeginScript, isAscii, toStderrMarkScript } from './start-acknowledgement.js';
import { toEndMarkScript, toStreamMarkScript } from './turn-marks.js';

/** Used in place of a dispatch ID. */
const FORGET_COMMAND = 'forget';
/** Launcher variables that the command must not see, each after a space. */
const SHELL_VARIABLES = ' _rv _ru _rh _rr _rd _rc _rp _ra _rg _rb _rq _rk _rx _rn _rw _ri _r1 _r2';

/** Marks the command line of a launcher, and of its `tee` processes before they exec. */
export const LAUNCHER_MARK = 'runward_launcher';

/**
 * Reads a command to `_rs`, up to the nonce `_rn`. Reads line by line in the shell, or a number of bytes with `head`.
 * Exits instead of running a command that is cut off or too short. Some minimal built-in `head` has no byte counts and
 * fails before it reads; the shell of such tools reads all bytes unchanged.
 */
const READ_COMMAND_SCRIPT = `
  read -r _rn _rw _rx || exit 125;
  [ "$_rw" = lines ] || _rs=$(LC_ALL=C exec head -c $_rx 2>/dev/null) || { _rw=lines; _rx=; };
  if [ "$_rw" = lines ]; then
    _rp=\${IFS#??}; _rs=;
    while IFS= read -r _rw || exit 125; do case $_rw in "$_rn") break;; esac; _rs=$_rs$_rw$_rp; done;
    [ -z "$_rx" ] || [ \${#_rs} = $_rx ] || exit 125;
  else case $_rs in *"$_rn") ;; *) exit 125;; esac; _rs=\${_rs%"$_rn"};
  fi;
  exec </dev/null;`;

/**
 * Files that a login shell reads before it runs a command. A kept shell would miss changes to them. So after a command
 * that changed one, the shell ends instead of reporting that it is ready, and the next command gets a new session.
 */
const LOGIN_SCRIPTS = [
  '~/.bashrc ~/.bashrc.d ~/.bashrc.d/* /etc/bash.bashrc /etc/bashrc /etc/profile.d /etc/profile.d/*',
  '~/.zshenv /etc/zshenv /etc/zsh/zshenv ~/.cshrc ~/.tcshrc /etc/csh.cshrc',
  '~/.config/fish/config.fish ~/.config/fish/conf.d ~/.config/fish/conf.d/* /etc/fish/config.fish /etc/fish/conf.d',
  '~/.ssh/environment ~/.pam_environment /etc/environment',
].join(' ');

/**
 * Runs in the session of sshd and processes one command after another. Starts each in a separate session, so that a
 * signal to this shell does not end the command. Waits for it, then reports its exit status (`turn-marks.ts`). Ends
 * with the last exit status at the end of input, or when a command is not started. Its first argument is {@link
 * LEADER_SCRIPT}.
 *
 * Commands are isolated from each other: each has its own pipes, session, environment and `tee`s, and cannot change
 * those of this shell.
 *
 * The command's output goes through the pipes of empty here-documents, reopened for writing: this needs no extra
 * process. Named pipes are used if the shell makes a file instead of a pipe, or the system forbids reopening it.
 */
const LAUNCHER_SCRIPT = joinScriptLines(`
  : ${LAUNCHER_MARK}; ${HANDSHAKE_SCRIPT} exec 7>&2 2>/dev/null; _rv=$1; _rs=125; _ri=;
  # $(umask) would cost a process
  _ru=; { while read -r _rx _ru; do case $_rx in Umask:) break;; esac; done </proc/self/status; } 2>/dev/null;
  [ -n "$_ru" ] || _ru=$(umask); umask 077;
  ${REFUSAL_SCRIPT}
  # /dev/null keeps tee reading when the channel is closed and the spool is full;
  # programs start twice as fast without a locale
  _rt() {
    trap "" PIPE XFSZ HUP INT TERM; ulimit -f $_rb;
    exec 3<&- 4<&- 5>&- 6>&- 7>&- 8<&- 9>&-; LC_ALL=C exec tee "$_rd.$1" /dev/null;
  };
  _rz() { _rx=; read -r _rx </proc/$1/stat; set -- $1 \${_rx#*") "}; _ri="$_ri $1 \${21:--}"; };
  while :; do
  read -r _rn _rd _rr _rg _rb _rq _rk || exit $_rs;
  if [ "$_rd" = ${FORGET_COMMAND} ]; then IFS= read -r _rs || exit 125; set --; eval "$_rs"; exit 0; fi;
  _rh=$HOME/.runward; _rr=$_rh/$_rr; _rd=$_rr/$_rd; ${CAPABILITY_SCRIPT}
  _ra=plain;
  if [ -z "$_rc" ]; then [ $_rq = 0 ] || _ra=cannot_journal;
  elif [ -d "$_rr" ]; then :;
  else
    LC_ALL=C mkdir -m 700 "$_rh" "$_rr";
    # another process may have created it first
    if [ -e "$_rh" ]; then _rj || { _rc=; [ $_rq = 0 ] || _ra=cannot_journal; }; fi;
  fi;
  set -C;
  if [ -n "$_rc" ]; then
    if [ -e "$_rd.begin" ]; then read -r _rc <"$_rd.begin"; _ra=already_started; [ "$_rc" = void ] && _ra=voided;
    elif [ -d "$_rd" ]; then _ra=already_started;
    elif _ra=journal; _ro; then :;
    elif true >"$_rd.sup"; then
      [ -e "$_rr/epoch.$_rg" ] || true >"$_rr/epoch.$_rg" || [ -e "$_rr/epoch.$_rg" ] || _ra=no_journal;
      [ $_ra = journal ] && _ro;
      [ -e "$_rr/closed" ] && _ra=run_ended;
    elif [ -f "$_rd.sup" ]; then _ra=already_started;
    else _ra=no_journal;
    fi;
  fi;
  if [ $_ra = journal ]; then
    _rp=\${IFS#??}; eval "command exec 3<<_E 4<<_E$_rp\${_rp}_E$_rp\${_rp}_E$_rp" && { read -r _rx <&3; read -r _rx <&4; };
    set +C;
    if [ -p /proc/self/fd/3 ] && [ -p /proc/self/fd/4 ] && command exec 5>/proc/self/fd/3 6>/proc/self/fd/4; then :;
    elif LC_ALL=C mkfifo -m 600 "$_rd.o" "$_rd.e"; then
      exec 5<>"$_rd.o" 6<>"$_rd.e"; exec 3<"$_rd.o" 4<"$_rd.e"; exec 5>"$_rd.o" 6>"$_rd.e";
    else
      set -C;
      if echo plain >"$_rd.begin"; then _ra=plain; else _ra=no_journal; fi;
    fi;
  elif [ $_ra = older_epoch ]; then echo void >"$_rd.begin";
  fi;
  set +C;
  if [ $_ra = journal ]; then
    exec 8<&0 9>&1;
    _rt out <&3 >&9 & _r1=$! ;
    # start a sent command even if no client reads any more
    trap "" PIPE; [ -n "$_ri" ] || ${toStderrMarkScript('$_rn', 7)} trap - PIPE;
    _rt err <&4 >&7 & _r2=$! ;
    [ -n "$_ri" ] || { _rz $$; _rz $PPID; };
    if echo "$_ri $_r1 c $_r2 c" >"$_rd.sup" && echo .... >"$_rd.end"; then
      setsid /bin/sh -c "$_rv" runward "$_rd" $_ru <&8 >&5 2>&6 3<&- 4<&- 5>&- 6>&- 7>&- 8<&-;
      _rs=$?;
      echo " $_rs" 1<>"$_rd.end";
      # unread input remains and must not be taken for the next command
      [ -e "$_rd.begin" ] || { set -C; echo void >"$_rd.begin"; exit 125; };
      # their results are stored: empty the output, and remove the files of dispatches in the remove list
      set --;
      for _rp in $_rk; do
        case $_rp in
          -*) set -- "$@" "$_rr/\${_rp#-}" "$_rr/\${_rp#-}.sup" "$_rr/\${_rp#-}.pid" "$_rr/\${_rp#-}.end"
            "$_rr/\${_rp#-}.out" "$_rr/\${_rp#-}.err" "$_rr/\${_rp#-}.o" "$_rr/\${_rp#-}.e";;
          *) for _rx in pid out err; do [ -s "$_rr/$_rp.$_rx" ] && true >"$_rr/$_rp.$_rx"; done;;
        esac;
      done;
      exec 3<&- 4<&- 5>&- 6>&- 8<&- 9>&-;
      if [ $# -gt 0 ]; then { exec 7>&-; LC_ALL=C exec rm -rf "$@"; } >/dev/null & fi;
      trap "" PIPE;
      ${toEndMarkScript('$_rn', '$_rs')} wait $_r1; ${toStreamMarkScript('$_rn', 'stdout')} || exit $_rs;
      wait $_r2; trap - PIPE;
      # not older than the mark of the takeover: the command may have changed it
      for _rp in ${LOGIN_SCRIPTS}; do if [ -e "$_rp" ]; then [ "$_rr/epoch.$_rg" -nt "$_rp" ] || exit $_rs; fi; done;
      ${toStreamMarkScript('$_rn', 'stderr')} >&7;
      continue;
    fi;
    _ra=no_journal;
  fi;
  # read a refused command too: a later reader of this input must not find it
  ${READ_COMMAND_SCRIPT}
  if [ $_ra = plain ]; then
    set --; exec 2>&7 7>&- 3<&- 4<&-; unset -f _rj _ro _rt _rz; umask $_ru;
    [ -n "$_ri" ] || ${toStderrMarkScript('$_rn', 2)}
    ${toBeginScript('$_rn', ' plain', SHELL_VARIABLES)}; exit;
  else printf "%s 0 %s\\n" $_rn $_ra; exit 125;
  fi;
  done;`);

/**
 * Leads the session of the command and becomes it with `eval`. Its own messages go to the channel, not to the stored
 * output. Arguments: common path prefix of the dispatch's files, and umask of the command.
 */
const LEADER_SCRIPT = joinScriptLines(`
  ${READ_COMMAND_SCRIPT}
  _rd=$1; _ru=$2;
  _rx=; { read -r _rx </proc/$$/stat; } 2>/dev/null; set -- \${_rx#*") "}; _rx=\${20:--}; set --;
  _rb=-; { read -r _rb </proc/sys/kernel/random/boot_id; } 2>/dev/null;
  _ra=; _rw=;
  if echo "$$ $_rx $_rb" 2>/dev/null >"$_rd.pid"; then
    set -C;
    echo run 2>/dev/null >"$_rd.begin" && _ra="$$ journal $_rx";
    set +C;
  fi;
  if [ -z "$_ra" ]; then
    { read -r _rw <"$_rd.begin"; } 2>/dev/null;
    case $_rw in void) _ra=voided;; ?*) _ra=already_started;; *) _ra=no_journal;; esac;
    printf "%s 0 %s\\n" $_rn $_ra >&9; exit 125;
  fi;
  trap "" PIPE; printf "%s %s\\n" $_rn "$_ra" 2>/dev/null >&9; trap - PIPE; exec 9>&-;
  umask $_ru; eval "unset _rs _rn _rd _ru _rx _rb _ra _rw _rp;$_rs"`);

/** For shorter commands, reading byte by byte in the shell is faster than starting a process. */
const MAX_SHELL_READ_BYTES = 2048;

/**
 * Text that the login shell of a host runs for a command with a journal. Constant and one line. Inside its quotes there
 * is no backquote or single quote, and `!` only before a space, where csh ignores it.
 */
export const JOURNAL_START_COMMAND = `exec /bin/sh -c '${LAUNCHER_SCRIPT}' runward '${LEADER_SCRIPT}'`;

/** Last input of an idle shell, which then executes `body` (see `forgetScript`). */
export const buildForgetInput = (nonce: string, body: string): string => `${nonce} ${FORGET_COMMAND}\n${body}\n`;

/**
 * Standard input for {@link JOURNAL_START_COMMAND}: data for the launcher; the nonce and the size for the leader; the command;
 * the nonce again. Input for another command may follow when this one has ended. `nonce` is one word of unguessable
 * letters.
 */
export function buildJournalInput(nonce: string, script: string, entry: JournalEntry): string {
  const { folderId, dispatchId, spoolBytes, forget = [], remove = [], orRefuse = false } = entry;
  const blocks = Math.max(1, Math.ceil(spoolBytes / 512));
  const gone = [...forget, ...remove.map((id) => `-${id}`)];
  const words = [nonce, dispatchId, folderId, toTakeoverFileName(entry), blocks, orRefuse ? 1 : 0, ...gone];
  const command = `${script}\n${nonce}\n`;
  const isReadByShell = script.length <= MAX_SHELL_READ_BYTES && isAscii(script);
  const size = isReadByShell ? `lines ${script.length + 1}` : `bytes ${Buffer.byteLength(command)}`;
  return `${words.join(' ')}\n${nonce} ${size}\n${command}`;
}
