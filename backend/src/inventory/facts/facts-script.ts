/**
 * Script that reads facts of a host. It runs in every POSIX shell (dash, bash, BusyBox, the shells of the BSDs and
 * macOS) with standard programs. It changes nothing and reads no personal files. Programs of the system take precedence
 * over those in the login user's PATH. Each fact is one line `name=value`. Unknown facts are omitted or empty.
 */
export const FACTS_SCRIPT = `_rf() {
LC_ALL=C; PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:$PATH; export LC_ALL PATH
t() { printf '%s=%.200s\\n' "$1" "$2"; }
c() { sysctl -n "$1"; }
echo runward-facts-1
k=$(uname -s)
t kernel "$k"
t kernelVersion "$(uname -r)"
t arch "$(uname -m)"
t hostname "$(uname -n)"
o=
for f in /etc/os-release /usr/lib/os-release; do [ -r $f ] && { o=$f; break; }; done
if [ "$o" ]; then
  t os "$(sed -n 's/^ID=//p' $o | head -n 1)"
  t osVersion "$(sed -n 's/^VERSION_ID=//p' $o | head -n 1)"
  t osName "$(sed -n 's/^PRETTY_NAME=//p' $o | head -n 1)"
elif [ "$k" = Darwin ]; then
  t os macos
  t osVersion "$(sw_vers -productVersion)"
  t osName "macOS $(sw_vers -productVersion)"
else
  t os "$k"
  t osVersion "$(uname -r)"
fi
if [ -r /proc/meminfo ]; then
  t cpus "$(getconf _NPROCESSORS_ONLN || nproc || grep -c '^processor' /proc/cpuinfo)"
  t cpuModel "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
  t memoryKb "$(sed -n 's/^MemTotal: *\\([0-9]*\\) kB.*/\\1/p' /proc/meminfo)"
  t boot "$(sed -n 's/^btime //p' /proc/stat)"
else
  t cpus "$(c hw.ncpu || getconf _NPROCESSORS_ONLN)"
  t cpuModel "$(c machdep.cpu.brand_string || c hw.model)"
  t memoryBytes "$(c hw.memsize || c hw.physmem64 || c hw.physmem)"
  t boot "$(c kern.boottime | sed 's/.*sec = \\([0-9]*\\).*/\\1/')"
fi
t disk "$(df -Pk / | sed -n 2p)"
if [ -d /run/systemd/system ]; then t init systemd
elif [ -d /run/openrc ]; then t init openrc
elif [ "$k" = Darwin ]; then t init launchd
elif [ -r /proc/1/comm ]; then t init "$(cat /proc/1/comm)"
else t init rc
fi
if [ "$k" != Darwin ] || xcode-select -p >/dev/null; then
  for p in python3 /usr/libexec/platform-python python; do
    q=$(command -v $p) && [ "$q" ] || continue
    t pythonPath "$q"
    t pythonVersion "$("$q" --version 2>&1 | head -n 1)"
    break
  done
fi
echo runward-facts-end
}
_rf </dev/null 2>/dev/null
`;
