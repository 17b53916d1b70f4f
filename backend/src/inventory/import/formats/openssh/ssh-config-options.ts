import {
  listsAlgorithms,
  readAlgorithms,
  CONNECT_TIMEOUT_REASON,
  readConnectTimeout,
} from '../texts/connection-options.ts';
import type { Findings } from '../texts/findings.ts';
import type { ImportedJumpHost } from '../texts/inventory-text.ts';
import { PROXY_COMMAND_REASON, PROXY_JUMP_REASON, readProxyCommand, readProxyJump } from '../texts/jump-hosts.ts';
import type { SshConfigLine } from './ssh-config-lines.ts';

export interface SshBlockOptions {
  /** May contain `%h`, which OpenSSH replaces by the name on the `Host` line. */
  hostname?: string | undefined;
  port?: number | undefined;
  username?: string | null | undefined;
  loginTimeoutSeconds?: number | null | undefined;
  namesKey?: boolean;
  /** In text order; only the first path of each `sort`. */
  jumpPaths: ConfiguredJumpPath[];
  /** Whether an option that lists algorithms requests a legacy algorithm, by keyword. */
  algorithms?: Readonly<Record<string, boolean>>;
}

export interface ConfiguredJumpPath {
  readonly sort: 'none' | 'jump' | 'command';
  readonly jumps: readonly ImportedJumpHost[] | null;
}

const CARRIED_OPTIONS: ReadonlySet<string> = new Set([
  'hostname',
  'port',
  'user',
  'proxyjump',
  'proxycommand',
  'connecttimeout',
]);

export const isCarriedOption = (keyword: string): boolean => CARRIED_OPTIONS.has(keyword) || listsAlgorithms(keyword);

/** Adds an option to its block. If the block already has the option, the first value wins. */
export function readOption(
  keyword: string,
  line: SshConfigLine,
  options: SshBlockOptions,
  label: string | null,
  findings: Findings,
): void {
  const [value = ''] = line.words;
  const bad = (message: string) => findings.recordFault(line.line, label, 'bad_value', message);
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

export const getUnreadReason = ({ sort }: ConfiguredJumpPath): string =>
  sort === 'command' ? PROXY_COMMAND_REASON : PROXY_JUMP_REASON;

/** Returns the jump path that OpenSSH uses: the first one. After `ProxyJump none`, a ProxyCommand still applies. */
export function getEffectiveJumpPath(jumpPaths: readonly ConfiguredJumpPath[]): ConfiguredJumpPath | undefined {
  const [first] = jumpPaths;
  if (first?.sort !== 'none') return first;
  return jumpPaths.find(({ sort }) => sort === 'command') ?? first;
}

export const allowsLegacyAlgorithms = ({ algorithms = {} }: Pick<SshBlockOptions, 'algorithms'>): boolean =>
  Object.values(algorithms).includes(true);
