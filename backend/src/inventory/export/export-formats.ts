import type { VariableValue } from '../../variables/variable-value.js';
import type { ServerView } from '../servers.view.js';
import { LEGACY_ALGORITHMS } from '../../transport/keys/legacy-algorithms.js';
import { pickServerFields } from '../fields/server-fields.js';
import { formatKnownHostsKey, KnownHostsWriter } from './known-hosts-writer.js';
import type { ServerExtras, InventoryWriter, ExportedVariables } from './inventory-writer.js';
import { HIDDEN_JUMP_PATH_TEXT, formatProxyJump } from './jump-path.js';

export const EXPORT_FORMATS = ['json', 'ansible-json', 'ssh-config', 'known_hosts'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const LEGACY_SSH_OPTIONS = Object.entries({
  HostKeyAlgorithms: LEGACY_ALGORITHMS.hostKeys,
  KexAlgorithms: LEGACY_ALGORITHMS.keyExchanges,
  Ciphers: LEGACY_ALGORITHMS.ciphers,
  MACs: LEGACY_ALGORITHMS.macs,
}).map(([keyword, names]) => ({ keyword, value: `+${names.join(',')}` }));

export function createInventoryWriter(format: ExportFormat): InventoryWriter {
  switch (format) {
    case 'json':
      return new ServerListWriter();
    case 'ansible-json':
      return new AnsibleWriter();
    case 'ssh-config':
      return new SshConfigWriter();
    case 'known_hosts':
      return new KnownHostsWriter();
  }
}

/**
 * List for an import in the format `json`. It contains all fields except the external system, the SSH key and the
 * environment, which the import sets. A jump server is exported by name.
 */
class ServerListWriter implements InventoryWriter {
  readonly media = 'application/json';
  readonly file = 'servers.json';
  private separator = '';

  begin(): string {
    return '[\n';
  }

  server(server: ServerView, { variables, jumpPath }: ServerExtras): string {
    const {
      externalId,
      externalSource: _,
      sshKeyId: __,
      environmentId: ___,
      jumpServerId: ____,
      ...fields
    } = pickServerFields(server);
    const { plain, secret } = splitVariables(variables);
    const entry = {
      ...(externalId === null ? {} : { externalId }),
      ...fields,
      ...toExportedHostKeys(server.hostKeys),
      // A path that is hidden from the caller is omitted, so an import leaves it unchanged.
      ...(jumpPath === null ? {} : { jumpServer: jumpPath.at(-1)?.name ?? null }),
      ...(plain.length === 0 ? {} : { variables: Object.fromEntries(plain) }),
      ...(secret.length === 0 ? {} : { secretVariables: secret }),
    };
    const text = `${this.separator}${JSON.stringify(entry)}`;
    this.separator = ',\n';
    return text;
  }

  end(): string {
    return '\n]\n';
  }
}

const GROUP_TAG_PATTERN = /^group\.(.+)$/;
/** Groups that Ansible defines itself. */
const ANSIBLE_BUILT_IN_GROUPS: ReadonlySet<string> = new Set(['all', 'ungrouped', '_meta']);

/** Template markup. Ansible would evaluate a name that contains it on the control node. */
const TEMPLATE_MARKUP_PATTERN = /\{[{%#]/;

/**
 * Output of an Ansible inventory script for `--list`. Tags become groups: `role=web` is `role_web`; imported groups
 * keep their names. Disabled servers are omitted, as in runs. The variable `runward_left_out` of `all` is the number of
 * servers omitted because of their names.
 */
class AnsibleWriter implements InventoryWriter {
  readonly media = 'application/json';
  readonly file = 'inventory.json';
  private readonly groups = new Map<string, string[]>();
  private separator = '';
  private leftOutCount = 0;

  begin(): string {
    return '{"_meta":{"hostvars":{\n';
  }

  server(server: ServerView, { variables: own, jumpPath }: ServerExtras): string {
    const { id, name, hostname, port, username, tags, enabled, legacyAlgorithms, environmentId, hostKeys } = server;
    const { loginTimeoutSeconds } = server;
    if (!enabled) return '';
    if (TEMPLATE_MARKUP_PATTERN.test(name)) {
      this.leftOutCount += 1;
      return '';
    }
    const groups = Object.entries(tags).map(([key, value]) => toGroupName(key, value));
    for (const group of groups.length === 0 ? ['ungrouped'] : new Set(groups)) {
      const hosts = this.groups.get(group) ?? [];
      this.groups.set(group, hosts);
      hosts.push(name);
    }
    const knownKeys = hostKeys.filter(({ publicKey }) => publicKey !== '');
    const { plain, secret } = splitVariables(own);
    const exportedValues = plain.filter(([key, value]) => !isEvaluatedByAnsible(key, value));
    const leftOut = plain.filter(([key, value]) => isEvaluatedByAnsible(key, value)).map(([key]) => key);
    const options = [
      ...(jumpPath && jumpPath.length > 0 ? [`ProxyJump=${formatProxyJump(jumpPath)}`] : []),
      ...(legacyAlgorithms ? LEGACY_SSH_OPTIONS.map(({ keyword, value }) => `${keyword}=${value}`) : []),
    ];
    const variables = {
      ...Object.fromEntries(exportedValues),
      ansible_host: hostname,
      ansible_port: port,
      ansible_user: username,
      ...(loginTimeoutSeconds === null ? {} : { ansible_timeout: loginTimeoutSeconds }),
      ...(jumpPath === null ? { runward_hidden_jump_server: true } : {}),
      ...(options.length > 0 ? { ansible_ssh_common_args: options.map((each) => `-o ${each}`).join(' ') } : {}),
      runward_id: id,
      runward_environment_id: environmentId,
      runward_tags: tags,
      ...(knownKeys.length === 0 ? {} : { runward_host_keys: knownKeys.map(formatKnownHostsKey) }),
      ...(secret.length === 0 ? {} : { runward_secret_variables: secret }),
      ...(leftOut.length === 0 ? {} : { runward_left_out_variables: leftOut }),
    };
    const text = `${this.separator}${JSON.stringify(name)}:${JSON.stringify(variables)}`;
    this.separator = ',\n';
    return text;
  }

  end(): string {
    const groups = [...this.groups.keys()].sort();
    const children = ['ungrouped', ...groups.filter((group) => group !== 'ungrouped')];
    const all = [`"all":${JSON.stringify({ children, vars: { runward_left_out: this.leftOutCount } })}`];
    const listed = groups.map(
      (group) => `${JSON.stringify(group)}:${JSON.stringify({ hosts: this.groups.get(group) })}`,
    );
    return `\n}},\n${[...all, ...listed].join(',\n')}\n}\n`;
  }
}

/**
 * Whether Ansible would evaluate the variable: settings (`ansible_*`) and templates can start programs on the control
 * node.
 */
const isEvaluatedByAnsible = (name: string, value: VariableValue): boolean =>
  /^ansible_/i.test(name) || TEMPLATE_MARKUP_PATTERN.test(typeof value === 'object' ? value.join('\n') : String(value));

/** Separates secret names from plain variables, because secret values are never exported. */
function splitVariables(variables: ExportedVariables): { plain: [string, VariableValue][]; secret: string[] } {
  const all = [...variables];
  return {
    plain: all.filter((each): each is [string, VariableValue] => each[1] !== null),
    secret: all.flatMap(([name, value]) => (value === null ? [name] : [])),
  };
}

function toGroupName(key: string, value: string): string {
  const importedGroup = value === 'true' ? GROUP_TAG_PATTERN.exec(key)?.[1] : undefined;
  const name = (importedGroup ?? `${key}_${value}`).replace(/[^A-Za-z0-9_]/g, '_');
  return ANSIBLE_BUILT_IN_GROUPS.has(name) || /^[0-9]/.test(name) ? `tag_${name}` : name;
}

/** Characters that OpenSSH does not treat as part of a host name: patterns, quotes, separators. */
const INVALID_SSH_HOST_NAME_PATTERN = /[\s*?!"'#,=\\]|^-/;

/** A single key is exported as `hostKey`. Importing that keeps other pinned keys of the server. */
function toExportedHostKeys(keys: ServerView['hostKeys']): object {
  const exportedKeys = keys.map(({ type, publicKey, fingerprint, certAuthority }) => ({
    ...(publicKey === '' ? { fingerprint } : { publicKey: `${type} ${publicKey}` }),
    ...(certAuthority ? { certAuthority } : {}),
  }));
  const [key] = exportedKeys;
  if (!key) return {};
  return exportedKeys.length === 1 && !('certAuthority' in key) ? { hostKey: key } : { hostKeys: exportedKeys };
}

const LINE_END_PATTERN = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

class SshConfigWriter implements InventoryWriter {
  readonly media = 'text/plain';
  readonly file = 'ssh_config';

  begin(): string {
    return '';
  }

  server(server: ServerView, { jumpPath }: ServerExtras): string {
    const { name, hostname, port, username, enabled, legacyAlgorithms, loginTimeoutSeconds, hostKeys } = server;
    if (!enabled) return '';
    const hostComments = [
      ...hostKeys.map(
        ({ type, fingerprint, certAuthority }) =>
          `# ${certAuthority ? 'authority of host certificates' : 'host key'} ${type} ${fingerprint}\n`,
      ),
      ...(jumpPath === null ? [`# ${HIDDEN_JUMP_PATH_TEXT}\n`] : []),
    ].join('');
    const jump =
      jumpPath && jumpPath.length > 0 ? `  ProxyJump ${formatProxyJump(jumpPath).replaceAll('%', '%%')}\n` : '';
    const legacy = legacyAlgorithms
      ? LEGACY_SSH_OPTIONS.map(({ keyword, value }) => `  ${keyword} ${value}\n`).join('')
      : '';
    const timeout = loginTimeoutSeconds === null ? '' : `  ConnectTimeout ${loginTimeoutSeconds}\n`;
    if (INVALID_SSH_HOST_NAME_PATTERN.test(name))
      return `# ${name.replace(LINE_END_PATTERN, ' ')}: not a valid name for OpenSSH; address: ${username}@${hostname} port ${port}\n\n`;
    return `${hostComments}Host ${name}\n  HostName ${hostname.replaceAll('%', '%%')}\n  Port ${port}\n  User ${username}\n${timeout}${jump}${legacy}\n`;
  }

  end(): string {
    return '';
  }
}
