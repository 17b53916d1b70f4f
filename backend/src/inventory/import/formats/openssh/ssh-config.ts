import { OWN_CONNECTION_REASON } from '../texts/jump-hosts.ts';
import type { Findings } from '../texts/findings.ts';
import type { InventoryFormat } from '../texts/inventory-format.ts';
import { type ImportedHost, MAX_HOSTS } from '../texts/inventory-text.ts';
import { MAX_NAME_LENGTH } from '../texts/limits.ts';
import { ResultSize } from '../texts/result-size.ts';
import {
  allowsLegacyAlgorithms,
  type SshBlockOptions,
  getEffectiveJumpPath,
  isCarriedOption,
  readOption,
  getUnreadReason,
} from './ssh-config-options.ts';
import { type SshConfigLine, readConfigLines } from './ssh-config-lines.ts';
import { MatchCondition } from './ssh-config-match.ts';
import { PatternList } from './ssh-patterns.ts';

/** `Host` or `Match` line with the options below it. Options before the first such line form a block for every host. */
interface SshConfigBlock {
  readonly line: number;
  readonly patterns: PatternList;
  readonly match: MatchCondition | null;
  readonly label: string | null;
  readonly options: SshBlockOptions;
}

const OPTION_REASONS: ReadonlyMap<string, string> = new Map([
  [
    'identityfile',
    'The key file is not in this text. Choose an SSH key of Runward for the servers when you import them.',
  ],
  ['certificatefile', 'Runward signs in with its own SSH keys, without certificates.'],
  ['forwardagent', 'Runward does not forward an agent.'],
  ['stricthostkeychecking', 'Runward always checks the host key of a server.'],
  ['userknownhostsfile', 'Runward stores the host keys of servers itself.'],
]);
const KEY_OPTIONS: ReadonlySet<string> = new Set([
  'identityfile',
  'certificatefile',
  'identityagent',
  'pkcs11provider',
]);
const USER_TOKEN_REASON = 'Its user depends on where ssh runs. Write the name itself.';
const toMatchReason = (line: number) =>
  `The "Match" block in line ${line} may give it another address, port, user, key or jump host, depending on where, when or as whom ssh runs. Write its options below "Host".`;

export const SSH_CONFIG = {
  name: 'ssh-config',
  label: 'SSH config',
  meaning: '“Host” entries as in ~/.ssh/config. Patterns such as “Host *” are not servers.',
  expected:
    'Write "Host" entries with complete names, such as "Host web-1"; patterns such as "Host *" are not servers.',
  fileName: { pattern: /^((ssh_?)?config|.*\.conf)$/, decides: false },
  clues: [
    {
      certainty: 2,
      patterns: [/^[ \t]*host[ \t=]+\S/im, /^[ \t]*(hostname|user|port|identityfile|proxyjump)[ \t=]/im],
    },
  ],
  read: readSshConfig,
} as const satisfies InventoryFormat;

/** Reads an OpenSSH client configuration. Each name without wildcards on a `Host` line becomes a host. */
function readSshConfig(content: string, findings: Findings): ImportedHost[] {
  const reader = new ConfigReader(findings);
  for (const line of readConfigLines(content, findings)) reader.readLine(line);
  return findings.hasFaults ? [] : reader.hosts();
}

class ConfigReader {
  readonly #findings: Findings;
  readonly #blocks: SshConfigBlock[] = [
    { line: 1, patterns: new PatternList(['*']), match: null, label: null, options: { jumpPaths: [] } },
  ];
  /** Line of the first mention of each host, and indexes of the blocks that name the host. */
  readonly #named = new Map<string, { line: number; blocks: number[] }>();
  /** True: OpenSSH reads the text twice, because a block depends on the resolved host name. */
  #isRepeated = false;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  readLine(line: SshConfigLine): void {
    const keyword = line.keyword.toLowerCase();
    if (keyword === 'host') this.#open(line);
    else if (keyword === 'match') this.#openMatchBlock(line);
    else if (keyword === 'include') {
      const message =
        'Runward cannot read included files, and pasting their text can change which hosts it applies to. Import the effective values instead: for each host, "Host NAME" and the lines hostname, port, user and proxyjump of "ssh -G NAME".';
      this.#findings.recordFault(line.line, 'Include', 'include', message);
    } else this.#readOptionLine(keyword, line);
  }

  hosts(): ImportedHost[] {
    const size = new ResultSize(this.#findings);
    const open = [...this.#blocks.keys()].filter((index) => {
      const block = this.#blocks[index];
      return block?.match || block?.patterns.isOpen;
    });
    const costOf = ({ patterns, match }: SshConfigBlock) => match?.cost ?? patterns.countMatchSteps;
    const cost = open.reduce((sum, index) => sum + costOf(this.#blocks[index] as SshConfigBlock), 0);
    const hosts: ImportedHost[] = [];
    for (const [name, { line, blocks }] of this.#named) {
      this.#findings.countSteps(cost + blocks.length);
      const blockIndexes = new Set([...open, ...blocks]);
      const host = this.#host(
        name,
        line,
        [...blockIndexes].sort((one, other) => one - other),
      );
      size.add(host);
      hosts.push(host);
    }
    return hosts;
  }

  #openMatchBlock({ line, words }: SshConfigLine): void {
    this.#findings.countSteps(50);
    const match = new MatchCondition(words);
    this.#isRepeated ||= match.isRepeated;
    const label = `Match ${words.slice(0, 20).join(' ')}`;
    this.#blocks.push({ line, patterns: new PatternList([]), match, label, options: { jumpPaths: [] } });
  }

  #open({ line, words }: SshConfigLine): void {
    // Such a line takes about 10 µs, which adds up if a text has many of them.
    this.#findings.countSteps(50);
    const patterns = new PatternList(words);
    this.#blocks.push({ line, patterns, match: null, label: words.slice(0, 20).join(' '), options: { jumpPaths: [] } });
    for (const name of patterns.names) {
      if (!patterns.matches(name)) continue;
      if (name.length > MAX_NAME_LENGTH) {
        const message = `The name of a host can have at most ${MAX_NAME_LENGTH} characters.`;
        this.#findings.recordFault(line, name, 'name_too_long', message);
      }
      const known = this.#named.get(name);
      if (known) known.blocks.push(this.#blocks.length - 1);
      else if (this.#named.size < MAX_HOSTS) this.#named.set(name, { line, blocks: [this.#blocks.length - 1] });
      else {
        const message = `A text can contain at most ${MAX_HOSTS} hosts, and this entry exceeds that. Import it in several parts.`;
        this.#findings.refuse(line, name, 'too_many_hosts', message);
      }
    }
  }

  #readOptionLine(keyword: string, line: SshConfigLine): void {
    const block = this.#blocks.at(-1);
    if (!block) return;
    if (isCarriedOption(keyword)) readOption(keyword, line, block.options, block.label, this.#findings);
    else {
      if (KEY_OPTIONS.has(keyword)) block.options.namesKey = true;
      this.#findings.leaveOut(
        line.line,
        block.label,
        line.keyword,
        OPTION_REASONS.get(keyword) ?? OWN_CONNECTION_REASON,
      );
    }
  }

  /** Combines the blocks of a host. For each option, the first value in the text wins. */
  #host(name: string, line: number, indexes: readonly number[]): ImportedHost {
    const options: SshBlockOptions = { jumpPaths: [] };
    const blocks = indexes.map((index) => this.#blocks[index] as SshConfigBlock);
    const skippedBlocks: SshConfigBlock[] = [];
    let unknown: SshConfigBlock | undefined;
    for (const block of blocks) {
      const holds = block.match
        ? block.match.matchesHost(name, expandHostname(name, options))
        : block.patterns.matches(name);
      if (holds) addMissingOptions(options, block.options);
      else if (holds === false) skippedBlocks.push(block);
      else if (wouldChangeOptions(options, block.options)) unknown ??= block;
    }
    if (this.#isRepeated)
      unknown ??= skippedBlocks.find(
        ({ match, options: more }) =>
          match &&
          match.matchesHost(name, expandHostname(name, options)) !== false &&
          wouldChangeOptions(options, more),
      );
    if (unknown) return { line, name, leftOut: toMatchReason(unknown.line) };
    if (options.username === null) return { line, name, leftOut: USER_TOKEN_REASON };
    const jumpPath = getEffectiveJumpPath(options.jumpPaths);
    return {
      line,
      name,
      hostname: expandHostname(name, options),
      ...(options.port !== undefined && { port: options.port }),
      ...(options.username !== undefined && { username: options.username }),
      ...(jumpPath?.jumps && { jumps: jumpPath.jumps }),
      ...(jumpPath?.jumps === null && { unreadWay: getUnreadReason(jumpPath) }),
      ...(allowsLegacyAlgorithms(options) && { legacyAlgorithms: true }),
      ...(options.loginTimeoutSeconds && { loginTimeoutSeconds: options.loginTimeoutSeconds }),
    };
  }
}

const expandHostname = (name: string, { hostname }: SshBlockOptions): string =>
  hostname?.replace(/%[h%]/g, (token) => (token === '%h' ? name : '%')) ?? name;

function addMissingOptions(options: SshBlockOptions, more: SshBlockOptions): void {
  options.hostname ??= more.hostname;
  options.port ??= more.port;
  if (options.username === undefined) options.username = more.username;
  if (options.loginTimeoutSeconds === undefined) options.loginTimeoutSeconds = more.loginTimeoutSeconds;
  options.jumpPaths.push(...more.jumpPaths);
  options.algorithms = { ...more.algorithms, ...options.algorithms };
}

/** Returns whether the options of another block would change how a host is reached. */
const wouldChangeOptions = (options: SshBlockOptions, more: SshBlockOptions): boolean =>
  (options.hostname === undefined && more.hostname !== undefined) ||
  (options.port === undefined && more.port !== undefined) ||
  (options.username === undefined && more.username !== undefined) ||
  getEffectiveJumpPath(options.jumpPaths) !== getEffectiveJumpPath([...options.jumpPaths, ...more.jumpPaths]) ||
  allowsLegacyAlgorithms(options) !==
    allowsLegacyAlgorithms({ algorithms: { ...more.algorithms, ...options.algorithms } }) ||
  more.namesKey === true;
