/**
 * Scripts for the host that change `~/.ssh/authorized_keys`, as POSIX shell text for standard input. The new file is
 * written next to the old one and renamed, so that a concurrent login finds one of the two. The file is changed only if
 * its checksum (`cksum`) is the one that was read. The size of the new file is verified before the rename.
 *
 * A lock excludes other changes by the same script between check and rename: a `flock` on the folder, which ends with
 * the process. On a host without `flock`, the lock is a folder, which is ignored when it is old.
 */

export const MAX_FILE_BYTES = 1024 * 1024;

/** Sets `_f` to the file, with links resolved, and `_d` to its folder. */
const LOCATE_FILE_SCRIPT = `LC_ALL=C; export LC_ALL
case $HOME in /?*) ;; *) echo no_home; exit 0;; esac
[ -f "$HOME/.ssh/authorized_keys" ] || { echo no_file; exit 0; }
_f=$HOME/.ssh/authorized_keys; _n=0
while [ -L "$_f" ]; do
  _n=$((_n + 1)); [ "$_n" -le 20 ] || { echo no_file; exit 0; }
  _l=$(ls -ld -- "$_f"); _l=\${_l#*" -> "}
  case $_l in /*) _f=$_l;; *) _f=\${_f%/*}/$_l;; esac
done
_d=\${_f%/*}
`;

/** Sets `_c` to `<checksum> <size>` and `_s` to the size in bytes. */
const CHECKSUM_SCRIPT = `set -- $(cksum 2>/dev/null <"$_f"); _s=$2; _c="$1 $2"
[ -n "$_s" ] || { echo not_readable; exit 0; }
`;

/** Prints `file <checksum> <size>` and the content of the file, or an error code. */
export const READ_SCRIPT = `${LOCATE_FILE_SCRIPT}[ -r "$_f" ] || { echo not_readable; exit 0; }
${CHECKSUM_SCRIPT}[ "$_s" -le ${MAX_FILE_BYTES} ] || { echo too_large; exit 0; }
echo "file $_c"
cat <"$_f"
`;

const CHECK_WRITABLE_SCRIPT = `[ -w "$_f" ] && [ -w "$_d" ] || { echo not_writable; exit 0; }
`;

const LOCK_FILE_SCRIPT = `_u=:
if command -v flock >/dev/null 2>&1; then
  exec 9<"$_d" || { echo not_writable; exit 0; }
  _n=0
  until flock -n 9; do
    _n=$((_n + 1)); [ "$_n" -le 15 ] || { echo busy; exit 0; }
    sleep 1
  done
else
  _k=$_d/.authorized_keys.runward-lock; _n=0
  until mkdir "$_k" 2>/dev/null; do
    _n=$((_n + 1)); [ "$_n" -le 15 ] || { echo busy; exit 0; }
    [ -z "$(find "$_k" -prune -mmin +2 2>/dev/null)" ] || rmdir "$_k" 2>/dev/null
    sleep 1
  done
  _u='rmdir "$_k"'
  trap 'eval "$_u"' EXIT
fi
`;

/** Edit of the file: `append` adds the bytes as lines, `without` removes the lines with these numbers (from 1). */
export type FileEdit = { append: Buffer } | { without: readonly number[] };

/** Prints `changed`, or an error code if the file was not changed. @param checksum as printed by `READ_SCRIPT` */
export function createEditScript(checksum: string, edit: FileEdit): string {
  if (!/^[0-9]+ [0-9]+$/.test(checksum)) throw new Error('The checksum of a file is two numbers.');
  return `${LOCATE_FILE_SCRIPT}${CHECK_WRITABLE_SCRIPT}${LOCK_FILE_SCRIPT}${CHECKSUM_SCRIPT}[ "$_c" = "${checksum}" ] || { echo changed_meanwhile; exit 0; }
${createReplaceFileScript('append' in edit ? createAppendScript(edit.append) : createRemoveLinesScript(edit.without))}`;
}

/** @param write shell text that fills `$_t`, and sets `_w` to the expected size in bytes */
const createReplaceFileScript = (write: string): string => `_t=$_d/.authorized_keys.runward-new
_x() { rm -f -- "$_t"; echo "$1"; exit 0; }
rm -f -- "$_t" && cp -p -- "$_f" "$_t" 2>/dev/null || _x no_space
${write}
[ "$(($(wc -c <"$_t")))" = "$_w" ] || _x no_space
mv -f -- "$_t" "$_f" 2>/dev/null || _x not_writable
echo changed
`;

/**
 * Adds the line in `$RUNWARD_KEY` to the file of the current user, and creates the file if necessary. It runs on the
 * host with that user's rights, so a link of the user can't reach other files. Prints `changed`, `present`, or an error
 * code if the file was not changed.
 */
export const INSTALL_SCRIPT = `umask 077
[ -z "\${RUNWARD_HOME:-}" ] || HOME=$RUNWARD_HOME
case \${HOME:-} in /?*) [ -d "$HOME" ];; *) false;; esac || { echo no_home; exit 0; }
[ -d "$HOME/.ssh" ] || mkdir -- "$HOME/.ssh" 2>/dev/null || [ -d "$HOME/.ssh" ] || { echo not_writable; exit 0; }
_f=$HOME/.ssh/authorized_keys
if [ ! -e "$_f" ]; then
  [ ! -L "$_f" ] || { echo dangling_link; exit 0; }
  (set -C; : >"$_f") 2>/dev/null || [ -e "$_f" ] || { echo not_writable; exit 0; }
fi
${LOCATE_FILE_SCRIPT}[ -r "$_f" ] || { echo not_readable; exit 0; }
_b=\${RUNWARD_KEY#* }; _b=\${_b%% *}
_h() { sed '/^[[:blank:]]*#/d' <"$_f" | grep -qF -- "$_b"; }
! _h || { echo present; exit 0; }
${CHECK_WRITABLE_SCRIPT}${LOCK_FILE_SCRIPT}! _h || { echo present; exit 0; }
_m() { cksum <"$_f" 2>/dev/null || md5sum <"$_f" 2>/dev/null || wc -c <"$_f"; }
_s=$(($(wc -c <"$_f"))); _o=$(_m)
${createReplaceFileScript(
  `_e=0; [ ! -s "$_f" ] || [ -z "$(tail -c 1 <"$_f")" ] || _e=1
{ cat <"$_f" && { [ "$_e" = 0 ] || echo; } && printf '%s\\n' "$RUNWARD_KEY"; } >"$_t" 2>/dev/null || _x no_space
_w=$((_s + _e + \${#RUNWARD_KEY} + 1))
[ "$(_m)" = "$_o" ] || _x changed_meanwhile`,
)}`;

/** Appends lines, and first a missing newline. Sets `_w` to the expected size in bytes. */
function createAppendScript(lines: Buffer): string {
  return `_e=0; [ ! -s "$_f" ] || [ -z "$(tail -c 1 <"$_f")" ] || _e=1
{ cat <"$_f" && { [ "$_e" = 0 ] || echo; } && printf '${toPrintfText(lines)}\\n'; } >"$_t" 2>/dev/null || _x no_space
_w=$((_s + _e + ${lines.length + 1}))`;
}

function createRemoveLinesScript(numbers: readonly number[]): string {
  const each = (command: string) => numbers.map((number) => `-e ${Math.trunc(number)}${command}`).join(' ');
  return `_g=$(($(sed -n ${each('p')} <"$_f" | wc -c)))
sed ${each('d')} <"$_f" >"$_t" 2>/dev/null || _x no_space
_w=$((_s - _g))`;
}

const toPrintfText = (bytes: Buffer): string =>
  [...bytes]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (character === '%') return '%%';
      return /[A-Za-z0-9 =,.+/@:-]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
    })
    .join('');
