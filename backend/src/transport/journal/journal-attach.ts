import type { AttachRequest } from '../remote-command.js';
import {
  CAPABILITY_SCRIPT,
  joinScriptLines,
  REFUSAL_SCRIPT,
  START_TIME_SCRIPT,
  toTakeoverFileName,
} from './journal-shell.js';
import { LAUNCHER_MARK } from './journal-start.js';
import { toLauncherLine, toStderrMarkScript } from './start-acknowledgement.js';

/**
 * Sets `_ru` to the host's uptime in seconds, or `-` if unknown. Uses the age of the first process: in a container, the
 * reported uptime can be that of its machine. A negative age means that only the uptime is the container's; then the
 * uptime is used.
 */
const UPTIME_SCRIPT = joinScriptLines(`
  _ry() {
    _ru=; read -r _ru _rx </proc/uptime; _ru=\${_ru%%.*};
    case $_ru in ''|*[!0-9]*) _ru=-; return;; esac;
    _rx=; read -r _rx </proc/1/stat; set -- \${_rx##*") "}; _rx=\${20};
    case $_rx in ''|*[!0-9]*) return;; esac;
    _rp=$(getconf CLK_TCK); case $_rp in ''|0*|*[!0-9]*) _rp=100;; esac;
    _rx=$((_ru-_rx/_rp)); [ $_rx -lt 0 ] || _ru=$_rx;
  };`);

/** How long an attach waits for a launcher to begin a dispatch that is marked as started, in tenths of a second. */
const GRACE_SECONDS = 20;

export function buildAttachInput(
  nonce: string,
  { journal: entry, ifAbsent }: Pick<AttachRequest, 'journal' | 'ifAbsent'>,
): string {
  const answer = (words: string) => `{ printf "%s 0 %s\\n" ${nonce} "${words}"; exit 0; }`;
  // Without evidence on the host, the command may have run before the host started: report the uptime.
  const neverStartedScript = `{ _ry; ${answer('never_started $_ru')}; }`;
  const markVoidScript = `{ set -C; if echo void >"$_rd.begin"; then ${neverStartedScript}; fi; set +C; }`;
  const absentScript = ifAbsent === 'void' ? markVoidScript : neverStartedScript;
  return toLauncherLine(
    joinScriptLines(`
    exec 7>&2 2>/dev/null; umask 077;
    _rh=$HOME/.runward; _rr=$_rh/${entry.folderId}; _ri=${entry.dispatchId}; _rd=$_rr/$_ri;
    _rv=$_rd.; [ ! -d "$_rd" ] || _rv=$_rd/;
    _rg=${toTakeoverFileName(entry)}; ${REFUSAL_SCRIPT}
    ${CAPABILITY_SCRIPT} ${START_TIME_SCRIPT} ${UPTIME_SCRIPT}
    _rl() { [ -n "$1" ] && { _rz "$1"; [ -n "$_rx" ] && [ "$_rx" = "$2" ]; }; };
    # a tee is known by its command line, or by that of its launcher while it is not yet what it becomes
    _rtl() {
      [ "$2" = c ] || { _rl "$1" "$2"; return; };
      [ -e /proc/self/stat ] || { kill -0 "$1"; return; };
      _rx=; read -r _rx </proc/$1/cmdline;
      case $_rx in *"$_ri.$3"*|*"${LAUNCHER_MARK}"*) return 0;; esac; return 1;
    };
    _rn() { sleep 0.1 || sleep 1; };
    _ra=;
    [ ! -e "$_rh" ] || _rj || ${answer('no_journal')};
    if [ ${ifAbsent} = void ] && [ -n "$_rc" ] && [ ! -d "$_rr" ]; then mkdir -m 700 "$_rh" "$_rr"; fi;
    if [ -d "$_rr" ]; then
      if _ro; then ${answer('$_ra')}; fi;
      [ -e "$_rr/epoch.$_rg" ] || true >"$_rr/epoch.$_rg" || _rc=;
      if _ro; then ${answer('$_ra')}; fi;
      if [ -e "$_rr/closed" ]; then ${answer('forgotten')}; fi;
    elif [ ${ifAbsent} = void ]; then _rc=;
    fi;
    _rm=0;
    while :; do
      _rw=; [ -e "$_rd.begin" ] && read -r _rw <"$_rd.begin";
      case $_rw in
        run) break;;
        void) ${neverStartedScript};;
        plain) ${answer('no_journal')};;
      esac;
      if [ ! -e "$_rd.begin" ]; then
        [ -n "$_rc" ] || ${answer('no_journal')};
        if [ ! -e "\${_rv}sup" ] && [ ! -d "$_rd" ]; then ${absentScript};
        elif [ $_rm -ge ${GRACE_SECONDS} ]; then ${markVoidScript};
        fi;
      elif [ $_rm -ge ${GRACE_SECONDS} ]; then
        # its creator died before writing a word, unless it still lives
        _r1=; _r2=; { read -r _r1 _r2 _rw <"\${_rv}pid"; };
        _rl "$_r1" "$_r2" || ${neverStartedScript};
      fi;
      _rm=$((_rm+1)); [ $_rm -gt 100 ] && ${answer('undecided')};
      _rn;
    done;
    [ -s "\${_rv}pid" ] && [ -s "\${_rv}sup" ] || ${answer('forgotten')};
    read -r _cp _cs _cb <"\${_rv}pid";
    read -r _sp _ss _hp _hs _op _os _ep _es <"\${_rv}sup";
    _rf() { _rw=; read -r _rw <"\${_rv}end"; case $_rw in ''|*[!0-9]*) _rw=; return 1;; esac; };
    if _rf; then :; else
      _rb=-; read -r _rb </proc/sys/kernel/random/boot_id;
      case $_rb:$_cb in -:*|*:-) ;; *) [ "$_rb" = "$_cb" ] || ${answer('rebooted')};; esac;
      if _rl "$_sp" "$_ss" || _rf || _rl "$_cp" "$_cs"; then :; else ${answer('vanished')}; fi;
    fi;
    # end the session of a connection that is no longer read: it would block the command
    _rg() {
      _rw=$1;
      while [ "\${_rw:-0}" -gt 1 ]; do
        _rx=; read -r _rx </proc/$_rw/comm;
        case $_rx in sshd*|dropbear*) return;; esac;
        _rz $_rw; [ -n "$_rx" ] || break; _rw=$_rp;
      done; _rw=;
    };
    _rg $PPID; _ro=$_rw; _rw=;
    if { _rtl "$_op" "$_os" out || _rtl "$_ep" "$_es" err; } && _rl "$_hp" "$_hs"; then _rg $_hp; fi;
    _hp=$_rw; _hs=; [ "$_hp" = "$_ro" ] && _hp=;
    [ -z "$_hp" ] || { _rz $_hp; _hs=$_rx; kill -s TERM $_hp; };
    _rz $$; _rq=$_rp;
    _ro=; _re=;
    _rk() {
      if [ -z "$_ro" ] && [ -e "\${_rv}out" ]; then exec 5<"\${_rv}out"; _ro=1; fi;
      if [ -z "$_re" ] && [ -e "\${_rv}err" ]; then exec 6<"\${_rv}err"; _re=1; fi;
      if [ -n "$_ro" ]; then cat <&5 || exit 1; fi;
      if [ -n "$_re" ]; then cat <&6 >&7 || exit 1; fi;
      _rz $$; [ "$_rp" = "$_rq" ] || exit 1;
    };
    ${toStderrMarkScript(nonce, 7)}
    printf "%s %s attached %s\\n" ${nonce} "$_cp" "$_cs" || exit 1;
    _rm=0;
    while :; do
      # checked in this order before the last read: no output comes after both tees have ended
      _ru=; _rl "$_sp" "$_ss" && _ru=1;
      _rt=; { _rtl "$_op" "$_os" out || _rtl "$_ep" "$_es" err; } && _rt=1;
      _rk;
      if _rf; then
        [ -z "$_rt" ] && exit $_rw;
        _rm=$((_rm+1));
        if [ $_rm -ge 10 ]; then
          # another process keeps the output open: report the status, and continue while a client reads
          { _rm=0; _rq=;
            while [ $_rm -lt 700 ] && { _rtl "$_op" "$_os" out || _rtl "$_ep" "$_es" err; }; do
              cat <&5 || exit 1; cat <&6 >&7 || exit 1; _rm=$((_rm+1)); _rn;
            done; cat <&5; cat <&6 >&7; } &
          exit $_rw;
        fi;
      elif [ -z "$_ru" ] && { _rl "$_cp" "$_cs"; [ -z "$_rx" ] || [ "$_rx" != "$_cs" ]; }; then
        [ -n "$_rt" ] && _rm=$((_rm+1));
        if [ -z "$_rt" ] || [ $_rm -ge 10 ]; then kill -s KILL $$; fi;
      fi;
      if [ -n "$_hp" ] && [ $_rm -ge 5 ] && _rl "$_hp" "$_hs"; then kill -s KILL $_hp; fi;
      sleep 0.2 || sleep 1;
    done;`),
  );
}
