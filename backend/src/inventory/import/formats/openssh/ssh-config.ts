import { OWN_CONNECTION_REASON } from '../texts/jump-hosts.ts';
import type { Findings } from '../texts/findings.ts';
import { type ImportedHost, MOST_HOSTS } from '../texts/inventory-text.ts';
import { MOST_NAME_LENGTH } from '../texts/limits.ts';
import { ResultSize } from '../texts/result-size.ts';
import { type BlockOptions, chosenWay, isCarried, readOption } from './ssh-config-options.ts';
import { type ConfigLine, configLines } from './ssh-config-lines.ts';
import { PatternList } from './ssh-patterns.ts';

/** A `Host` line with the options below it; those before any such line hold for every host. */
interface Block {
  readonly patterns: PatternList;
  /** The patterns as they are written. */
  readonly label: string | null;
  readonly options: BlockOptions;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  [
    'identityfile',
    'The key file is not in this text. Choose an SSH key of Runward for the servers when you import them.',
  ],
  ['certificatefile', 'Runward signs in with the SSH keys that it keeps, without certificates.'],
  ['forwardagent', 'Runward forwards no agent.'],
  ['stricthostkeychecking', 'Runward always checks the host key of a server.'],
  ['userknownhostsfile', 'Runward keeps the host keys of servers itself.'],
]);
const MATCH_REASON =
  'Runward reads no "Match" blocks: they depend on where and as whom ssh runs. Write their options below "Host".';

/** Reads a client configuration of OpenSSH. Hosts are what `Host` lines name without wildcards. */
export function readSshConfig(content: string, findings: Findings): ImportedHost[] {
  const reader = new ConfigReader(findings);
  for (const line of configLines(content, findings)) reader.read(line);
  return findings.hasFaults ? [] : reader.hosts();
}

class ConfigReader {
  readonly #findings: Findings;
  readonly #blocks: Block[] = [{ patterns: new PatternList(['*']), label: null, options: { ways: [] } }];
  /** Hosts, where they are named first, and by which blocks. */
  readonly #named = new Map<string, { line: number; blocks: number[] }>();
  /** Within a block that is not read. */
  #skipping = false;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  read(line: ConfigLine): void {
    const keyword = line.keyword.toLowerCase();
    if (keyword === 'host') this.#open(line);
    else if (keyword === 'match') {
      this.#skipping = true;
      this.#findings.leaveOut(line.line, null, 'Match', MATCH_REASON);
    } else if (keyword === 'include') {
      const message =
        'The text includes another file, which Runward can not see. Put the text of that file here instead.';
      this.#findings.fault(line.line, 'Include', 'include', message);
    } else if (!this.#skipping) this.#option(keyword, line);
  }

  hosts(): ImportedHost[] {
    const size = new ResultSize(this.#findings);
    const open = [...this.#blocks.keys()].filter((index) => this.#blocks[index]?.patterns.isOpen);
    const cost = open.reduce((sum, index) => sum + (this.#blocks[index]?.patterns.cost ?? 0), 0);
    const hosts: ImportedHost[] = [];
    for (const [name, { line, blocks }] of this.#named) {
      this.#findings.spend(cost + blocks.length);
      const told = new Set([...open, ...blocks]);
      const host = this.#host(
        name,
        line,
        [...told].sort((one, other) => one - other),
      );
      size.add(host);
      hosts.push(host);
    }
    return hosts;
  }

  #open({ line, words }: ConfigLine): void {
    // Some 10 µs, which a text of such lines only would add up.
    this.#findings.spend(50);
    const patterns = new PatternList(words);
    this.#skipping = false;
    this.#blocks.push({ patterns, label: words.slice(0, 20).join(' '), options: { ways: [] } });
    for (const name of patterns.names) {
      if (!patterns.matches(name)) continue;
      if (name.length > MOST_NAME_LENGTH) {
        const message = `The name of a host has at most ${MOST_NAME_LENGTH} characters.`;
        this.#findings.fault(line, name, 'name_too_long', message);
      }
      const known = this.#named.get(name);
      if (known) known.blocks.push(this.#blocks.length - 1);
      else if (this.#named.size < MOST_HOSTS) this.#named.set(name, { line, blocks: [this.#blocks.length - 1] });
      else {
        const message = `A text names at most ${MOST_HOSTS} hosts; with this entry there are more. Import it in several parts.`;
        this.#findings.refuse(line, name, 'too_many_hosts', message);
      }
    }
  }

  #option(keyword: string, line: ConfigLine): void {
    const block = this.#blocks.at(-1);
    if (!block) return;
    if (isCarried(keyword)) readOption(keyword, line, block.options, block.label, this.#findings);
    else this.#findings.leaveOut(line.line, block.label, line.keyword, REASONS.get(keyword) ?? OWN_CONNECTION_REASON);
  }

  /** Of each option, the first value counts, in the order of the text. */
  #host(name: string, line: number, blocks: readonly number[]): ImportedHost {
    const options: BlockOptions = { ways: [] };
    for (const index of blocks) {
      const block = this.#blocks[index];
      if (!block?.patterns.matches(name)) continue;
      options.hostname ??= block.options.hostname;
      options.port ??= block.options.port;
      options.username ??= block.options.username;
      options.ways.push(...block.options.ways);
    }
    const jumps = chosenWay(options.ways)?.jumps;
    return {
      line,
      name,
      hostname: options.hostname?.replace(/%[h%]/g, (token) => (token === '%h' ? name : '%')) ?? name,
      ...(options.port !== undefined && { port: options.port }),
      ...(options.username !== undefined && { username: options.username }),
      ...(jumps && { jumps }),
    };
  }
}
