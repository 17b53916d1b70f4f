import { isJournalId, joined } from '../journal/journal-shell.js';
import type { ProcessLeft } from '../remote-command.js';

/** Variable of a command's environment that names its start, and that processes which it begins inherit. */
export const START_VARIABLE = 'RUNWARD_DISPATCH_ID';
/** Processes that a result names at most. */
const MOST_LEFT = 5;
const LEFT = /^left (\d{1,10}) (\S.{0,39})$/;
const ODD = /[^\w.:+@/()-]/g;
const USER = /^[a-z_][a-z0-9_-]*$/;
/** Parts of a second between two looks at processes that were told to end. */
const LOOKS_PER_SECOND = 5;
/** For how long processes are waited for that were killed, in s. */
const KILLED_SECONDS = 2;

/** The command whose processes are meant. */
export interface CommandStart {
  /** Leader of its session. */
  pid: number;
  /** As the acknowledgement gave it; `-`: not known. */
  startTime: string;
  /** Value of {@link START_VARIABLE}; undefined: the command has none. */
  dispatchId: string | undefined;
  /** User that the command became by sudo; null: the login user. */
  become: string | null;
  /** The leader has ended: its id may be another process's by now. */
  exited: boolean;
}

/**
 * Text that writes which processes of a command are left. For any login shell: one line without `!`, backquote,
 * backslash, or a single quote inside its quotes.
 */
export const leftBehindText = (start: CommandStart): string => textOf(start, `${find(start)} _f; _l`);

/**
 * Text that ends all processes of a command: politely, after `graceMs` hard. It writes which are left then.
 *
 * A signal to the group of the command reaches all of it at once, also a process that forks. With `become` each user
 * signals its own processes, so that no process gets the polite signal twice; sudo would pass its own on.
 */
export function endCommandText(start: CommandStart, graceMs: number): string {
  const { pid, become } = start;
  const looks = Math.max(1, Math.ceil((graceMs / 1000) * LOOKS_PER_SECOND));
  const single = `kill -s $1 \${_e%%:*}`;
  const group = `[ -z "$_v" ] || kill -s $1 -- -${pid} || [ -e /proc/self/stat ] || kill -s $1 ${pid};`;
  const toGroup = `${group} for _e in $_s; do case $_v:$_e in 1:*:${pid}:*) ;; *) ${single};; esac; done`;
  const toOwn = `for _e in $_s; do _x=; read -r _x </proc/\${_e%%:*}/comm; [ "$_x" = sudo ] || { [ -O /proc/\${_e%%:*} ] && ${single}; }; done`;
  return textOf(
    start,
    `${find(start)} ${ALIVE}
    _t() { ${become === null ? toGroup : `case $1 in KILL) ${toGroup};; *) ${toOwn};; esac`}; };
    _z() { sleep 0.${10 / LOOKS_PER_SECOND} && _i=$((_i+1)) && return; sleep 1; _i=$((_i+${LOOKS_PER_SECOND})); };
    _f; _t TERM; _i=0;
    while :; do
      _k; [ -n "$_s" ] || { _f; [ -n "$_s" ] || break; };
      [ $_i -lt ${looks} ] || break; _z;
    done;
    if [ -n "$_s" ]; then
      _f; _t KILL; _i=0;
      while _k; [ -n "$_s" ] && [ $_i -lt ${KILLED_SECONDS * LOOKS_PER_SECOND} ]; do _z; done;
    fi; _l`,
  );
}

/**
 * _f: adds the processes of a command to `_s`, as ` pid:group:start` each: those of its session, those that have its
 * start in their environment, and the children of both. `_v`: the session is still that of the command. Without /proc
 * the leader stands for all.
 */
const find = ({ pid, startTime, dispatchId, exited }: CommandStart): string => `
  _f() {
    _a=; _v=1; _x=; read -r _x </proc/${pid}/stat; set -- \${_x##*") "};
    case ${startTime}:\${20} in -:*|*:|${startTime}:${startTime}) ;; *) _v=;; esac;
    if [ -e /proc/self/stat ]; then :; else _s=; kill -s 0 -- -${pid} && _s=" ${pid}:${pid}:-"; return; fi;
    for _p in /proc/[0-9]*; do
      _x=; read -r _x <$_p/stat; set -- \${_x##*") "}; _p=\${_p#/proc/};
      case $1:\${20} in [ZX]:*|*:) continue;; esac;
      _a="$_a $_p:$2:$3:\${20}";
      case "$_s " in *" $_p:"*) continue;; esac;
      case $_v:$4:$_p in 1:${pid}:*${exited ? '' : `|1:*:${pid}`}) _s="$_s $_p:$3:\${20}";; esac;
    done;
    ${dispatchId !== undefined && isJournalId(dispatchId) ? BY_START(dispatchId) : ''}
    _y=;
    until [ "$_y" = "$_s" ]; do
      _y=$_s;
      for _e in $_a; do
        _p=\${_e%%:*}; _x=\${_e#*:};
        case "$_s " in *" $_p:"*) ;; *) case "$_s " in *" \${_x%%:*}:"*) _s="$_s $_p:\${_x#*:}";; esac;; esac;
      done;
    done;
  };
  _l() { for _e in $_s; do _x=; read -r _x </proc/\${_e%%:*}/comm || _x=$(ps -o comm= -p \${_e%%:*}); echo "left \${_e%%:*} $_x"; done; };`;

const BY_START = (dispatchId: string): string => `
    for _p in $(grep -l ${START_VARIABLE}=${dispatchId} /proc/[0-9]*/environ); do
      _p=\${_p#/proc/}; _p=\${_p%/environ};
      case "$_s " in *" $_p:"*) continue;; esac;
      case "$_a " in *" $_p:"*) _x=\${_a#*" $_p:"}; _x=\${_x%%" "*}; _s="$_s $_p:\${_x#*:}";; esac;
    done;`;

/** _k: keeps in `_s` what still lives, and is no other process that has got the id. */
const ALIVE = `
  _k() {
    _y=;
    for _e in $_s; do
      if [ -e /proc/self/stat ]; then
        _x=; read -r _x </proc/\${_e%%:*}/stat; set -- \${_x##*") "};
        case $1:\${20} in [ZX]:*) ;; *:\${_e##*:}) _y="$_y $_e";; esac;
      elif kill -s 0 -- -\${_e%%:*}; then _y="$_y $_e";
      fi;
    done; _s=$_y;
  };`;

/** Runs the body as the login user, and at the same time as the user that the command became: neither may see all of the other. */
function textOf({ become }: CommandStart, body: string): string {
  const text = joined(body);
  if (become === null || !USER.test(become)) return `exec /bin/sh -c 'exec 2>/dev/null; ${text}'`;
  const asUser = `printf "%s" "exec 2>/dev/null; $1" | sudo -n -H -u ${become} -- /bin/sh &`;
  const outer = `exec 2>/dev/null; [ "$(id -un)" = ${become} ] || ${asUser} eval "$1"; wait`;
  return `exec /bin/sh -c '${outer}' runward '${text}'`;
}

/** What the host answered, each process once. */
export function leftBehindIn(output: string): ProcessLeft[] {
  const found = new Map<number, ProcessLeft>();
  for (const line of output.split('\n')) {
    const [, pid, name] = LEFT.exec(line) ?? [];
    if (pid !== undefined && name !== undefined)
      found.set(Number(pid), { pid: Number(pid), name: name.replace(ODD, '_') });
  }
  return [...found.values()].slice(0, MOST_LEFT);
}
