/** Login shells and their start-up files, as far as they affect whether a command starts. */

export type Syntax = 'posix' | 'fish' | 'csh';

export interface LoginShell {
  name: string;
  syntax: Syntax;
  /** File in the home directory that the shell reads before a command; null: none, so a wrapper script is used. */
  file: string | null;
  /** How the shell is called with a command. */
  call: string;
}

const shell = (name: string, syntax: Syntax, file: string | null, call = name): LoginShell => ({
  name,
  syntax,
  file,
  call,
});

export const LOGIN_SHELLS: readonly LoginShell[] = [
  shell('sh', 'posix', null),
  shell('dash', 'posix', null),
  shell('bash', 'posix', '.bashrc'),
  shell('zsh', 'posix', '.zshenv'),
  shell('ksh', 'posix', null),
  shell('fish', 'fish', '.config/fish/config.fish'),
  shell('tcsh', 'csh', '.tcshrc'),
  shell('busybox', 'posix', null, 'busybox sh'),
  shell('rbash', 'posix', '.bashrc'),
];

export interface StartUp {
  name: string;
  /** Whether the command starts; `either`: timing decides. */
  starts: boolean | 'either';
  text: Partial<Record<Syntax, string>>;
}

const startUp = (
  name: string,
  starts: StartUp['starts'],
  posix: string,
  others: { fish?: string; csh?: string } = { fish: posix, csh: posix },
): StartUp => ({ name, starts, text: { posix, ...others } });

export const START_UPS: readonly StartUp[] = [
  startUp('nothing', true, ''),
  startUp('prints', true, 'echo Welcome; sh -c "echo Beware >&2"'),
  startUp('becomes zsh', false, 'exec zsh -f'),
  startUp('becomes bash', false, 'exec bash --norc'),
  startUp('becomes an interactive shell', false, 'exec bash --norc -i'),
  startUp('reads a line', false, 'read -r x', { fish: 'read x', csh: 'set x = "$<"' }),
  startUp('reads a line for a moment', true, 'read -t 1 x', {}),
  startUp('reads everything', false, 'cat >/dev/null'),
  startUp('runs what it reads', false, 'eval "$(cat)"', { fish: 'cat | source', csh: 'eval "`cat`"' }),
  startUp('asks for a passphrase', false, 'printf "Enter passphrase for key: "; read -r x', {
    fish: 'printf "Enter passphrase for key: "; read x',
    csh: 'echo -n "Enter passphrase for key: "; set x = "$<"',
  }),
  startUp('shows a menu', false, 'while echo "1) shell 2) quit"; read -r x; do [ "$x" != 2 ] || break; done', {
    fish: 'while read x; echo "1) shell 2) quit"; end',
    csh: 'set x = "$<"',
  }),
  startUp('reads in the background', 'either', 'cat >/dev/null &'),
  startUp('leaves a process behind', true, 'sleep 3 >/dev/null 2>&1 &', { fish: 'sleep 3 >/dev/null 2>&1 &' }),
  startUp('sets a trap', true, 'trap "echo bye" EXIT', { fish: 'trap "echo bye" EXIT', csh: 'onintr -' }),
  startUp('sets options', true, 'set -e; set -u; set -x', { csh: 'set echo' }),
  startUp('changes directory and language', true, 'cd /; export LC_ALL=tr_TR.UTF-8', {
    fish: 'cd /; set -gx LC_ALL tr_TR.UTF-8',
    csh: 'cd /; setenv LC_ALL tr_TR.UTF-8',
  }),
  startUp('closes standard input', false, 'exec </dev/null', {}),
  startUp('ends early', false, 'exit 3', {}),
  startUp('ends early as if all were well', false, 'exit 0', {}),
  // `exit` ends only the file in fish and tcsh, not the shell.
  { name: 'ends its file early', starts: true, text: { fish: 'exit 3', csh: 'exit 3' } },
];

/** What a forced command does with the requested command, as sh scripts. */
export const FORCED_COMMANDS: readonly (Pick<StartUp, 'name' | 'starts'> & { text: string })[] = [
  { name: 'wrapper', starts: true, text: 'sh -c "$SSH_ORIGINAL_COMMAND"' },
  { name: 'wrapper that prints much', starts: true, text: 'seq 30000; exec sh -c "$SSH_ORIGINAL_COMMAND"' },
  { name: 'wrapper that marks lines', starts: true, text: 'sh -c "$SSH_ORIGINAL_COMMAND" | sed -u "s/^/host: /"' },
  { name: 'wrapper that joins streams', starts: true, text: 'exec sh -c "$SSH_ORIGINAL_COMMAND" 2>&1' },
  { name: 'wrapper before a shell', starts: true, text: 'sh -c "$SSH_ORIGINAL_COMMAND"; exec zsh -f' },
  {
    name: 'wrapper without input before a shell',
    starts: false,
    text: 'sh -c "$SSH_ORIGINAL_COMMAND" </dev/null; exec zsh -f',
  },
  { name: 'wrapper without output', starts: false, text: 'exec sh -c "$SSH_ORIGINAL_COMMAND" >/dev/null' },
  { name: 'wrapper for a line of output', starts: 'either', text: 'sh -c "$SSH_ORIGINAL_COMMAND" | head -n 3' },
  { name: 'wrapper with a time limit', starts: true, text: 'timeout 20 sh -c "$SSH_ORIGINAL_COMMAND"' },
  { name: 'shell', starts: false, text: 'exec sh' },
  { name: 'bash', starts: false, text: 'exec bash --norc' },
  { name: 'fish', starts: false, text: 'exec fish' },
  { name: 'shell behind a log', starts: false, text: 'tee /dev/stderr | sh' },
  { name: 'echo of the command', starts: false, text: 'echo "$SSH_ORIGINAL_COMMAND"' },
  { name: 'echo of the input', starts: false, text: 'exec cat' },
  { name: 'menu', starts: false, text: 'while read -r x; do case $x in 1) sh;; *) echo "1) shell";; esac; done' },
  { name: 'refusal', starts: false, text: 'echo "This account is currently not available."; exit 1' },
  { name: 'wait', starts: false, text: 'exec sleep 4' },
];
