import { listsAlgorithms, readAlgorithms } from '../texts/algorithm-options.ts';
import { CONNECT_TIMEOUT_REASON, readConnectTimeout } from '../texts/connect-timeout.ts';
import type { Findings } from '../texts/findings.ts';
import type { JumpHost } from '../texts/inventory-text.ts';
import { PROXY_COMMAND_REASON, PROXY_JUMP_REASON, readProxyCommand, readProxyJump } from '../texts/jump-hosts.ts';
import type { ConfigLine } from './ssh-config-lines.ts';

/** What a block says of the hosts that it matches. */
export interface BlockOptions {
  /** May hold `%h`, for the name behind `Host`. */
  hostname?: string | undefined;
  port?: number | undefined;
  /** Null: it depends on where ssh runs. */
  username?: string | null | undefined;
  /** Time limit of a login, in seconds; null: the text sets one that is not carried over. */
  loginTimeoutSeconds?: number | null | undefined;
  /** It names a key to sign in with. */
  namesKey?: boolean;
  /** In the order of the text; of each sort the first one only. */
  ways: Way[];
  /** Options that list algorithms, by keyword: whether they ask for legacy ones. */
  algorithms?: Readonly<Record<string, boolean>>;
}

export interface Way {
  readonly sort: 'none' | 'jump' | 'command';
  /** Null: it is not read as jump hosts. */
  readonly jumps: readonly JumpHost[] | null;
}

const CARRIED: ReadonlySet<string> = new Set([
  'hostname',
  'port',
  'user',
  'proxyjump',
  'proxycommand',
  'connecttimeout',
]);

/** Whether a server of Runward has what an option, in lower case, says. */
export const isCarried = (keyword: string): boolean => CARRIED.has(keyword) || listsAlgorithms(keyword);

/** Adds an option to those of its block; of two with the same name, the first one counts. */
export function readOption(
  keyword: string,
  line: ConfigLine,
  options: BlockOptions,
  label: string | null,
  findings: Findings,
): void {
  const [value = ''] = line.words;
  const bad = (message: string) => findings.fault(line.line, label, 'bad_value', message);
  if (keyword === 'hostname') {
    if (/%(?![h%])/.test(value.replaceAll('%%', ''))) return bad('"HostName" may hold %h and %%, but no other token.');
    options.hostname ??= value;
  } else if (keyword === 'user') {
    // Of two, the first one counts, known or not.
    if (options.username === undefined) options.username = /%|\$\{/.test(value) ? null : value;
  } else if (keyword === 'port') {
    const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
    if (port < 1 || port > 65_535) return bad('"Port" must be a whole number from 1 to 65535.');
    options.port ??= port;
  } else if (keyword === 'connecttimeout') {
    const seconds = readConnectTimeout(value);
    if (seconds === null) findings.leaveOut(line.line, label, line.keyword, CONNECT_TIMEOUT_REASON);
    if (options.loginTimeoutSeconds === undefined) options.loginTimeoutSeconds = seconds ?? null;
  } else if (listsAlgorithms(keyword)) {
    const { legacy, reason } = readAlgorithms(keyword, value);
    if (reason !== null) findings.leaveOut(line.line, label, line.keyword, reason);
    options.algorithms = { [keyword]: legacy, ...options.algorithms };
  } else {
    const isJump = keyword === 'proxyjump';
    const jumps = isJump ? readProxyJump(value) : readProxyCommand(line.rest);
    const reason = isJump ? PROXY_JUMP_REASON : PROXY_COMMAND_REASON;
    if (!jumps) findings.leaveOut(line.line, label, line.keyword, reason);
    const sort = !isJump ? 'command' : jumps?.length === 0 ? 'none' : 'jump';
    if (!options.ways.some((way) => way.sort === sort)) options.ways.push({ sort, jumps });
  }
}

export const unreadReason = ({ sort }: Way): string => (sort === 'command' ? PROXY_COMMAND_REASON : PROXY_JUMP_REASON);

/** The way that OpenSSH takes: the first one; but behind `ProxyJump none`, it still takes a ProxyCommand. */
export function chosenWay(ways: readonly Way[]): Way | undefined {
  const [first] = ways;
  if (first?.sort !== 'none') return first;
  return ways.find(({ sort }) => sort === 'command') ?? first;
}

/** Whether one of the options that count asks for legacy algorithms. */
export const asksLegacy = ({ algorithms = {} }: Pick<BlockOptions, 'algorithms'>): boolean =>
  Object.values(algorithms).includes(true);
