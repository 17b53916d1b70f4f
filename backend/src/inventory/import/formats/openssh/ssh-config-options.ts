import { listsAlgorithms, readAlgorithms } from '../texts/algorithm-options.ts';
import { CONNECT_TIMEOUT_REASON, readConnectTimeout } from '../texts/connect-timeout.ts';
import type { Findings } from '../texts/findings.ts';
import type { JumpHost } from '../texts/inventory-text.ts';
import { PROXY_COMMAND_REASON, PROXY_JUMP_REASON, readProxyCommand, readProxyJump } from '../texts/jump-hosts.ts';
import type { ConfigLine } from './ssh-config-lines.ts';

export interface BlockOptions {
  /** May contain `%h`, which OpenSSH replaces by the name on the `Host` line. */
  hostname?: string | undefined;
  port?: number | undefined;
  username?: string | null | undefined;
  loginTimeoutSeconds?: number | null | undefined;
  namesKey?: boolean;
  /** In text order; only the first path of each `sort`. */
  jumpPaths: JumpPath[];
  /** Whether an option that lists algorithms requests a legacy algorithm, by keyword. */
  algorithms?: Readonly<Record<string, boolean>>;
}

export interface JumpPath {
  readonly sort: 'none' | 'jump' | 'command';
  readonly jumps: readonly JumpHost[] | null;
}

const CARRIED_OPTIONS: ReadonlySet<string> = new Set([
  'hostname',
  'port',
  'user',
  'proxyjump',
  'proxycommand',
  'connecttimeout',
]);

export const isCarried = (keyword: string): boolean => CARRIED_OPTIONS.has(keyword) || listsAlgorithms(keyword);

/** Adds an option to its block. If the block already has the option, the first value wins. */
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
    if (/%(?![h%])/.test(value.replaceAll('%%', '')))
      return bad('"HostName" can contain %h and %%, but no other token.');
    options.hostname ??= value;
  } else if (keyword === 'user') {
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
    if (!options.jumpPaths.some((jumpPath) => jumpPath.sort === sort)) options.jumpPaths.push({ sort, jumps });
  }
}

export const unreadReason = ({ sort }: JumpPath): string =>
  sort === 'command' ? PROXY_COMMAND_REASON : PROXY_JUMP_REASON;

/** Returns the jump path that OpenSSH uses: the first one. After `ProxyJump none`, a ProxyCommand still applies. */
export function effectiveJumpPath(jumpPaths: readonly JumpPath[]): JumpPath | undefined {
  const [first] = jumpPaths;
  if (first?.sort !== 'none') return first;
  return jumpPaths.find(({ sort }) => sort === 'command') ?? first;
}

export const allowsLegacy = ({ algorithms = {} }: Pick<BlockOptions, 'algorithms'>): boolean =>
  Object.values(algorithms).includes(true);
