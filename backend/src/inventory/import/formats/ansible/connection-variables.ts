import {
  listsAlgorithms,
  readAlgorithms,
  CONNECT_TIMEOUT_REASON,
  readConnectTimeout,
} from '../texts/connection-options.ts';
import type { Findings } from '../texts/findings.ts';
import type { ImportedHost } from '../texts/inventory-text.ts';
import {
  OWN_CONNECTION_REASON,
  PROXY_COMMAND_REASON,
  PROXY_JUMP_REASON,
  readOptions,
  readProxyCommand,
  readProxyJump,
} from '../texts/jump-hosts.ts';
import { splitShellWords } from '../texts/shell-words.ts';
import type { AnsibleSetting, AnsibleSettings } from './variable-settings.ts';

export type ConnectionFields = Pick<
  ImportedHost,
  'hostname' | 'port' | 'username' | 'jumps' | 'unreadWay' | 'legacyAlgorithms' | 'loginTimeoutSeconds'
>;

interface SshArguments {
  /** Jump path, or the reason why it can't be read; empty: no jump path is set. */
  way: Pick<ImportedHost, 'jumps' | 'unreadWay'>;
  /** Whether an SSH option that lists algorithms requests a legacy algorithm, by keyword. */
  algorithms: Record<string, boolean>;
  /** Login time limit in seconds; null: not importable; undefined: not set. */
  timeout?: number | null | undefined;
}

const SSH_CONNECTIONS: ReadonlySet<string> = new Set(['ssh', 'smart', 'paramiko', 'paramiko_ssh']);
const OPTION_NAME_BY_LETTER: Readonly<Record<string, string>> = { J: 'proxyjump', c: 'ciphers', m: 'macs' };
/** Order in which Ansible appends these variables to the `ssh` command. The first value of an option wins. */
const SSH_ARGUMENTS = ['ansible_ssh_args', 'ansible_ssh_common_args', 'ansible_ssh_extra_args'];

/**
 * Reads the connection settings of a host and its groups. A setting of a group applies to all its hosts but is reported
 * once.
 */
export class ConnectionReader {
  readonly #findings: Findings;
  readonly #reported = new Set<AnsibleSetting>();
  readonly #read = new Map<string, SshArguments>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  findRefusalReason(settings: AnsibleSettings): string | null {
    const connection = settings.get('ansible_connection')?.value;
    if (connection === undefined) return null;
    const name = String(connection).replace(/^ansible\.(?:builtin|legacy)\./, '');
    if (SSH_CONNECTIONS.has(name)) return null;
    return `Runward reaches servers only over SSH, but the "ansible_connection" of this host is not ssh${KNOWN_CONNECTIONS.has(name) ? ` but ${name}` : ''}.`;
  }

  readConnection(settings: AnsibleSettings): ConnectionFields {
    const hostname = this.#text(settings, 'ansible_host');
    const username = this.#text(settings, 'ansible_user');
    const port = this.#port(settings);
    const { legacyAlgorithms, timeout, ...jumpPath } = this.#ssh(settings);
    const loginTimeoutSeconds = timeout === undefined ? this.#timeout(settings) : timeout;
    return {
      ...(hostname !== undefined && { hostname }),
      ...(port !== undefined && { port }),
      ...(username !== undefined && { username }),
      ...jumpPath,
      ...(legacyAlgorithms && { legacyAlgorithms }),
      ...(loginTimeoutSeconds && { loginTimeoutSeconds }),
    };
  }

  /** If a variable is set under its old and its current name, Ansible prefers the old name. */
  #findSetting(settings: AnsibleSettings, name: string): { name: string; setting: AnsibleSetting | undefined } {
    const olderName = name.replace('ansible_', 'ansible_ssh_');
    const setting = settings.get(olderName);
    if (setting && (setting.value !== undefined || setting.isTemplate)) return { name: olderName, setting };
    return { name, setting: settings.get(name) };
  }

  #text(settings: AnsibleSettings, today: string): string | undefined {
    const { name, setting } = this.#findSetting(settings, today);
    if (!setting || this.#isTemplated(name, setting)) return undefined;
    if (setting.value === undefined) return undefined;
    if (typeof setting.value === 'string' || typeof setting.value === 'number')
      return String(setting.value).trim() || undefined;
    this.#addFault(setting, 'bad_value', `"${name}" must be a text.`);
    return undefined;
  }

  #port(settings: AnsibleSettings): number | undefined {
    const { name, setting } = this.#findSetting(settings, 'ansible_port');
    if (!setting || this.#isTemplated(name, setting)) return undefined;
    if (setting.value === undefined || setting.value === '') return undefined;
    const port = /^\d{1,5}$/.test(String(setting.value)) ? Number(setting.value) : 0;
    if (port >= 1 && port <= 65_535) return port;
    this.#addFault(setting, 'bad_value', `"${name}" must be a whole number from 1 to 65535.`);
    return undefined;
  }

  #timeout(settings: AnsibleSettings): number | undefined {
    const { name, setting } = this.#findSetting(settings, 'ansible_timeout');
    if (!setting || this.#isTemplated(name, setting) || setting.value === undefined) return undefined;
    const seconds = readConnectTimeout(String(setting.value));
    if (seconds !== null) return seconds;
    if (!this.#reported.has(setting))
      this.#findings.leaveOut(setting.line, setting.entry, name, CONNECT_TIMEOUT_REASON);
    this.#reported.add(setting);
    return undefined;
  }

  #isTemplated(name: string, setting: AnsibleSetting): boolean {
    if (!setting.isTemplate) return false;
    const message = `"${name}" is a template of Ansible, which Runward does not evaluate. Write the value itself, or import the output of "ansible-inventory --list".`;
    this.#addFault(setting, 'template', message);
    return true;
  }

  #ssh(
    settings: AnsibleSettings,
  ): SshArguments['way'] & { legacyAlgorithms: boolean; timeout: SshArguments['timeout'] } {
    const read = SSH_ARGUMENTS.flatMap((name) => {
      const setting = settings.get(name);
      return typeof setting?.value === 'string' ? [this.#arguments(name, setting, setting.value)] : [];
    });
    const jumpPath = read.find((each) => each.way.jumps)?.way ?? read.find((each) => each.way.unreadWay)?.way;
    const algorithms = Object.assign({}, ...read.map((each) => each.algorithms).reverse()) as Record<string, boolean>;
    const timeout = read.find((each) => each.timeout !== undefined)?.timeout;
    return { ...jumpPath, legacyAlgorithms: Object.values(algorithms).includes(true), timeout };
  }

  #arguments(name: string, setting: AnsibleSetting, text: string): SshArguments {
    const known = this.#reported.has(setting) ? this.#read.get(text) : undefined;
    if (known !== undefined) return known;
    this.#reported.add(setting);
    const words = splitShellWords(text, { comments: false });
    if (!words) this.#addFault(setting, 'unclosed_quote', `"${name}" has an unclosed quote.`, true);
    const leaveOut = (what: string, reason: string) =>
      this.#findings.leaveOut(setting.line, setting.entry, `${name}: ${what}`, reason);
    const read: SshArguments = { way: {}, algorithms: {} };
    let decided = false;
    for (const { option, value } of readOptions(words ?? [])) {
      if (option === null) continue;
      const { keyword, argument } = option === 'o' ? splitOption(value) : { keyword: option, argument: value };
      const known = OPTION_NAME_BY_LETTER[keyword] ?? keyword.toLowerCase();
      const optionText = option === 'o' ? keyword : `-${option}`;
      if (listsAlgorithms(known)) {
        const { legacy, reason } = readAlgorithms(known, argument);
        if (reason !== null) leaveOut(optionText, reason);
        read.algorithms[known] ??= legacy;
      } else if (known === 'connecttimeout') {
        const seconds = readConnectTimeout(argument);
        if (seconds === null) leaveOut(optionText, CONNECT_TIMEOUT_REASON);
        if (read.timeout === undefined) read.timeout = seconds;
      } else if (known !== 'proxyjump' && known !== 'proxycommand') leaveOut(optionText, OWN_CONNECTION_REASON);
      else if (!decided) {
        decided = true;
        const isJump = known === 'proxyjump';
        const jumps = isJump ? readProxyJump(argument) : readProxyCommand(argument);
        const reason = isJump ? PROXY_JUMP_REASON : PROXY_COMMAND_REASON;
        read.way = jumps ? { jumps } : { unreadWay: reason };
        if (!jumps) leaveOut(isJump ? 'ProxyJump' : 'ProxyCommand', reason);
      }
    }
    this.#read.set(text, read);
    return read;
  }

  #addFault(setting: AnsibleSetting, code: string, message: string, again = false): void {
    if (this.#reported.has(setting) && !again) return;
    this.#reported.add(setting);
    this.#findings.recordFault(setting.line, setting.entry, code, message);
  }
}

/** Connection types that messages may repeat. Any other value may be a misplaced secret. */
const KNOWN_CONNECTIONS: ReadonlySet<string> = new Set(
  'local winrm psrp docker podman lxc lxd kubectl oc chroot jail zone libvirt_lxc network_cli netconf httpapi community.docker.docker containers.podman.podman kubernetes.core.kubectl ansible.netcommon.network_cli ansible.netcommon.netconf ansible.netcommon.httpapi community.general.lxd amazon.aws.aws_ssm community.aws.aws_ssm'.split(
    ' ',
  ),
);

export function splitOption(text: string): { keyword: string; argument: string } {
  const found = /^\s*([A-Za-z0-9]+)(?:\s*=\s*|\s+|$)/.exec(text);
  return { keyword: found?.[1] ?? '', argument: found ? text.slice(found[0].length).trim() : '' };
}
