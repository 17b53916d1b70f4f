import { splitShellWords } from './shell-words.ts';
import type { ImportedJumpHost } from './inventory-text.ts';

export const OWN_CONNECTION_REASON = 'Runward makes its own SSH connections and does not use this option of ssh.';
export const PROXY_JUMP_REASON = 'The jump hosts do not have the form [user@]host[:port], separated by commas.';
export const PROXY_COMMAND_REASON =
  'Of proxy commands, only "ssh -W %h:%p [user@]host [-p port]" is read as a jump host. Set the jump server in Runward.';

/** One-letter options of ssh(1) that have a value, in the same word or in the next word. */
const OPTIONS_WITH_VALUE = 'BbcDEeFIiJLlmOoPpQRSWw';

/** Reads the value of ProxyJump or `-J`: `none`, or hosts separated by commas; null: unreadable. */
export function readProxyJump(value: string): ImportedJumpHost[] | null {
  if (value.toLowerCase() === 'none') return [];
  const jumps: ImportedJumpHost[] = [];
  for (const part of value.split(',')) {
    const jump = readDestination(part.trim());
    if (!jump) return null;
    jumps.push(jump);
  }
  return jumps;
}

/** Reads `[user@]host[:port]` or `ssh://[user@]host[:port]`. Before a port, an IPv6 address is in brackets. */
export function readDestination(text: string): ImportedJumpHost | null {
  const plain = text.startsWith('ssh://') ? text.slice(6).replace(/\/$/, '') : text;
  const sign = plain.lastIndexOf('@');
  const username = sign < 0 ? null : plain.slice(0, sign);
  const address = plain.slice(sign + 1);
  const bracketed = /^\[([^[\]]+)\](?::(\d{1,5}))?$/.exec(address);
  const ported = /^([^:[\]]+):(\d{1,5})$/.exec(address);
  const host = bracketed?.[1] ?? ported?.[1] ?? address;
  const port = bracketed?.[2] ?? ported?.[2];
  if (username === '' || host === '' || /[\s[\]%]/.test(host) || (!bracketed && !ported && /:$|^:[^:]/.test(host)))
    return null;
  if (username !== null && /[\s%:]/.test(username)) return null;
  if (port !== undefined && !isPort(Number(port))) return null;
  return { host, port: port === undefined ? null : Number(port), username };
}

/**
 * Reads the jump hosts of a ProxyCommand such as `ssh [options] -W %h:%p [user@]bastion`, which is equivalent to
 * ProxyJump; null: the command has another form.
 */
export function readProxyCommand(command: string): ImportedJumpHost[] | null {
  if (command.trim().toLowerCase() === 'none') return [];
  const words = splitShellWords(command, { comments: false });
  if (words?.[0] === 'exec') words.shift();
  if (!words || !/^(?:\/usr\/bin\/)?ssh$/.test(words[0] ?? '')) return null;
  let before: ImportedJumpHost[] = [];
  let forwards = false;
  let username: string | null = null;
  let port: number | null = null;
  const destinations: string[] = [];
  for (const { option, value } of readOptions(words.slice(1))) {
    if (option === null) destinations.push(value);
    else if (option === 'W') forwards = value === '%h:%p' || value === '[%h]:%p';
    else if (option === 'l') username = value;
    else if (option === 'p') port = /^\d{1,5}$/.test(value) && isPort(Number(value)) ? Number(value) : Number.NaN;
    else if (option === 'J') {
      const jumps = readProxyJump(value);
      if (!jumps) return null;
      before = jumps;
    } else if (option === 'o' && /^proxy(?:command|jump)(?![=\s]+none$)/i.test(value)) return null;
  }
  const [destination, ...remote] = destinations;
  const jump = destination === undefined ? null : readDestination(destination);
  if (!forwards || !jump || remote.length > 0 || Number.isNaN(port)) return null;
  return [...before, { host: jump.host, port: jump.port ?? port, username: jump.username ?? username }];
}

/** Yields the words after `ssh`: each option with its value; `option` null: the word is not an option. */
export function* readOptions(words: readonly string[]): Generator<{ option: string | null; value: string }> {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-') {
      yield { option: null, value: word };
      continue;
    }
    for (let letter = 1; letter < word.length; letter += 1) {
      const option = word.charAt(letter);
      if (!OPTIONS_WITH_VALUE.includes(option)) {
        yield { option, value: '' };
        continue;
      }
      const rest = word.slice(letter + 1);
      if (rest === '') at += 1;
      yield { option, value: rest === '' ? (words[at] ?? '') : rest };
      break;
    }
  }
}

const isPort = (port: number) => port >= 1 && port <= 65_535;
