import { INSTALL_SCRIPT } from '../rotation/host/authorized-keys-script.js';

/**
 * Registration script for hosts, in POSIX shell: dash, bash and busybox, with curl or wget. The text is the same for
 * all hosts; parameters come from the environment (`enrolment-command.ts`). External values stay in variables, are
 * validated before use, and are never evaluated as shell code. The whole script is a function that the last line calls,
 * so a truncated download does nothing.
 *
 * Required environment variables: `RUNWARD_URL`, `RUNWARD_ENROLMENT` (the token), `RUNWARD_USER`. Optional:
 * `RUNWARD_ADDRESS` (address at which Runward reaches this host), `RUNWARD_HOME` (home directory of the user; default:
 * that of the account), `RUNWARD_HOST_KEYS` (folder of the host keys) and `RUNWARD_WAIT` (timeout, in seconds).
 */
const SCRIPT_TEMPLATE = `#!/bin/sh
# Registers this host with Runward: sends its addresses and public host keys, adds Runward's public key to the
# user's authorized_keys, and asks Runward to sign in. Can be repeated.
runward_enrol() {
LC_ALL=C; export LC_ALL
umask 077
nl='
'
say() { printf 'runward: %s\\n' "$*"; }
die() { printf 'runward: Failed. %s\\n' "$*" >&2; exit 1; }

url=\${RUNWARD_URL:-} token=\${RUNWARD_ENROLMENT:-} user=\${RUNWARD_USER:-} address=\${RUNWARD_ADDRESS:-}
keys=\${RUNWARD_HOST_KEYS:-/etc/ssh} wait=\${RUNWARD_WAIT:-180}
# Child processes do not need the token.
unset RUNWARD_ENROLMENT
case $url in *"$nl"*) url=;; esac
case $url in http://?*|https://?*) ;; *) die 'RUNWARD_URL is not an http or https URL.';; esac
case $token in ''|*[!A-Za-z0-9_-]*) die 'RUNWARD_ENROLMENT is not the token of an enrolment.';; esac
case $user in ''|[!A-Za-z0-9_]*|*[!A-Za-z0-9_.@+-]*) die 'RUNWARD_USER is not a login name.';; esac
case $address in *[!A-Za-z0-9._:%-]*) die 'RUNWARD_ADDRESS is not a host name or address.';; esac
case $wait in ''|*[!0-9]*|??????*) die 'RUNWARD_WAIT is not a number of seconds.';; esac

# The user writes the file, even if root runs the script.
me=$(id -u) || die 'id does not work on this host.'
their=$(id -u "$user" 2>/dev/null) || die "There is no user \\"$user\\" on this host. Make it first, or make an enrolment for another login."
if [ "$me" = "$their" ]; then as=self
elif [ "$me" = 0 ]; then
  as=su
  command -v su >/dev/null 2>&1 || die "su is not on this host. Run this as \\"$user\\"."
else die "Run this as root or as \\"$user\\"."
fi
# The login name was validated above: letters, digits and . _ @ + -
eval "home=~$user"
case $home in /*) ;; *) home=\${HOME:-};; esac
[ -z "\${RUNWARD_HOME:-}" ] || { home=$RUNWARD_HOME; export RUNWARD_HOME; }

if command -v curl >/dev/null 2>&1; then tool=curl
elif command -v wget >/dev/null 2>&1; then
  # The wget of some busybox versions fails with -T, and none has -t.
  tool=wget before= after=
  if wget --version 2>/dev/null | grep -q GNU; then after='-t 1 -T 100'
  elif timeout 9 true 2>/dev/null; then before='timeout 100'
  fi
else die 'Neither curl nor wget is on this host. Install one of them.'
fi

# Public host keys. Certificates have other file names and types.
list=
for file in "$keys"/ssh_host_*_key.pub; do
  [ -r "$file" ] || continue
  type= blob=
  read -r type blob rest <"$file" || [ -n "$blob" ] || continue
  case $type in ''|*[!a-z0-9@.-]*) say "$file is not a public key and is left out."; continue;; esac
  case $blob in ''|*[!A-Za-z0-9+/=]*) say "$file is not a public key and is left out."; continue;; esac
  [ \${#blob} -le 4000 ] || { say "$file is too long and is left out."; continue; }
  list="$list\${list:+,}\\"$type $blob\\""
done
[ -n "$list" ] || die "There is no public host key in $keys. Start sshd once, or run ssh-keygen -A."

# Addresses of the host, that of the default route first.
own= count=0
for each in \\
  $(ip -4 route get 192.0.2.1 2>/dev/null | sed -n 's/.* src \\([0-9.]*\\).*/\\1/p') \\
  $(ip -4 -o addr show scope global 2>/dev/null | sed -n 's/.* inet \\([0-9.]*\\).*/\\1/p') \\
  $(ip -6 -o addr show scope global 2>/dev/null | sed -n 's/.* inet6 \\([0-9a-fA-F:.]*\\).*/\\1/p') \\
  $(hostname -I 2>/dev/null || hostname -i 2>/dev/null); do
  case $each in ''|*[!0-9a-fA-F:.]*) continue;; esac
  case ",$own," in *",\\"$each\\","*) continue;; esac
  count=$((count + 1)); [ "$count" -le 64 ] || break
  own="$own\${own:+,}\\"$each\\""
done

name=$(uname -n | tr -cd 'A-Za-z0-9._-')
body="{\\"hostName\\":\\"$name\\",\\"addresses\\":[$own],\\"hostKeys\\":[$list]"
[ -z "$address" ] || body="$body,\\"address\\":\\"$address\\""
body="$body}"

err=$(mktemp 2>/dev/null) || err=/dev/null
[ "$err" = /dev/null ] || trap 'rm -f "$err"' EXIT

# Sends $2 to $1. Sets status, and text or why.
ask() {
  text= why= status=
  if [ "$tool" = curl ]; then
    # The token is passed on standard input: every user of the host can read arguments.
    text=$(printf 'header = "Authorization: Bearer %s"\\n' "$token" | curl -qgsS -K - -m 100 --connect-timeout 15 -X POST \\
      -H 'Content-Type: application/json' -H 'Expect:' --data-binary "$2" -w '\\nstatus %{http_code}\\n' "$url$1" 2>"$err")
    case $text in *"\${nl}status "[1-5][0-9][0-9]) status=\${text##*"\${nl}status "}; text=\${text%"\${nl}status "*};; esac
  else
    text=$($before wget $after -O - --header "Authorization: Bearer $token" --header 'Content-Type: application/json' \\
      --post-data "$2" "$url$1" 2>"$err") && status=200
    [ -n "$status" ] || status=$(sed -n -e 's/.*HTTP\\/[0-9.]* \\([1-5][0-9][0-9]\\).*/\\1/p' -e 's/.*response\\.\\.\\. \\([1-5][0-9][0-9]\\).*/\\1/p' <"$err" | tail -n 1)
  fi
  [ "$status" != 200 ] || return 0
  case $status in
    400) die 'Runward rejected the report of this host. Copy the command from Runward again.';;
    401) die 'Runward does not know this enrolment. Make a new one.';;
    404|405) die "No Runward at $url, or an older version.";;
    413) die 'This host has too many or too large host keys.';;
    '') why="No answer from $url: $(tr -cd ' -~\\n' <"$err" | sed '/^ *$/d' | tail -n 1 | cut -c 1-300)";;
    *) why="$url answered with status $status.";;
  esac
  return 1
}

# Parses the answer: lines of a keyword and its value. Sets outcome, last and key, and prints messages.
answer() {
  outcome= key=
  while IFS= read -r line; do
    case $line in
      'outcome '*) outcome=\${line#outcome };;
      'say '*) [ "$outcome" = refused ] || [ "$outcome" = failed ] || [ "$outcome" = again ] || say "\${line#say }"; last=\${line#say };;
      'key '*) key=\${line#key };;
    esac
  done <<RUNWARD_ANSWER
$text
RUNWARD_ANSWER
}

begin=$(date +%s)
late() { now=$(date +%s); [ "$tries" -gt 60 ] || [ "$((now - begin))" -ge "$wait" ]; }

tries=0 last=
until ask /api/enrol "$body"; do
  tries=$((tries + 1))
  ! late || die "$why"
  sleep 5
done
answer
case $outcome in
  registered) ;;
  refused) die "$last";;
  *) die "The server at $url is not Runward.";;
esac
case $key in ''|*[!A-Za-z0-9\\ +/=@.-]*|*' '*' '*' '*) die 'Runward sent no public key.';; esac

install=@INSTALL@
RUNWARD_KEY=$key; export RUNWARD_KEY
tries=0
while :; do
  if [ "$as" = self ]; then done=$(HOME=$home sh -c "$install" </dev/null 2>&1)
  else done=$(su -s /bin/sh -c "$install" "$user" </dev/null 2>&1)
  fi
  done=\${done##*"$nl"}
  tries=$((tries + 1))
  [ "$done" = changed_meanwhile ] && [ "$tries" -le 10 ] || break
done
file=authorized_keys
case $done in
  changed) say "The public key of Runward was added to ~$user/.ssh/$file.";;
  present) say "The public key of Runward is in ~$user/.ssh/$file already.";;
  no_home) die "\\"$user\\" has no home directory. Create it with that user as owner and run this again.";;
  no_file) die "~$user/.ssh/$file is not a file. Remove it and run this again.";;
  dangling_link) die "~$user/.ssh/$file is a dangling link. Repair it and run this again.";;
  not_readable|not_writable) die "~$user/.ssh or $file in it is not writable for that user. Make the user the owner of both and run this again.";;
  no_space) die "~$user/.ssh/$file could not be written. Check the free space, and run this again.";;
  busy|changed_meanwhile) die "Another process is changing ~$user/.ssh/$file. Run this again.";;
  *) die "~$user/.ssh/$file could not be changed as \\"$user\\": $(printf %s "$done" | tr -cd ' -~' | cut -c 1-200)";;
esac

say 'Runward signs in now.'
tries=0
while :; do
  tries=$((tries + 1))
  if ask /api/enrol/verify ''; then
    answer
    case $outcome in
      verified) exit 0;;
      again) why=$last;;
      refused|failed) die "$last";;
      *) die "The server at $url is not Runward.";;
    esac
  fi
  ! late || die "The server is registered, but Runward could not sign in: $why"
  sleep 5
done
}
runward_enrol
`;

export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const ENROLMENT_SCRIPT = SCRIPT_TEMPLATE.replace('@INSTALL@', () => quoteForShell(INSTALL_SCRIPT));

interface EnrolmentCommandInput {
  url: string;
  token: string;
  username: string;
}

/**
 * Returns the command for cloud-init, or for a shell of root or of the user. If the download of the script fails or is
 * truncated, nothing runs and the command fails. The token is never part of a URL.
 */
export function createEnrolmentCommand({ url, token, username }: EnrolmentCommandInput): string {
  const script = quoteForShell(`${url}/api/enrol`);
  const fetchCommand = `if command -v curl >/dev/null; then curl -fsS ${script}; else wget -qO- ${script}; fi`;
  const values = { RUNWARD_URL: url, RUNWARD_ENROLMENT: token, RUNWARD_USER: username };
  const assignments = Object.entries(values).map(([name, value]) => `${name}=${quoteForShell(value)}`);
  return `s=$(${fetchCommand}) && ${assignments.join(' ')} sh -c "$s"`;
}
