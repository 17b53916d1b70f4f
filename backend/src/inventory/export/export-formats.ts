import type { VariableValue } from '../../common/variables/variable-value.js';
import type { ServerView } from '../servers.view.js';

export const EXPORT_FORMATS = ['json', 'ansible-json', 'ssh-config'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type ShownVariables = ReadonlyMap<string, VariableValue | null>;

/** Writes servers one after another as a text that other tools read. */
export interface InventoryWriter {
  readonly media: string;
  readonly file: string;
  begin(): string;
  /** @param variables null: it is secret, and only its name is told */
  server(server: ServerView, variables: ShownVariables): string;
  end(): string;
}

/** A writer for one text. */
export function inventoryWriter(format: ExportFormat): InventoryWriter {
  switch (format) {
    case 'json':
      return new ServerListWriter();
    case 'ansible-json':
      return new AnsibleWriter();
    case 'ssh-config':
      return new SshConfigWriter();
  }
}

/** The list that an import of the format `json` reads: nothing is lost but the keys and environments of this installation. */
class ServerListWriter implements InventoryWriter {
  readonly media = 'application/json';
  readonly file = 'servers.json';
  private separator = '';

  begin(): string {
    return '[\n';
  }

  server(
    { name, externalId, hostname, port, username, enabled, tags, hostKey }: ServerView,
    variables: ShownVariables,
  ): string {
    const { plain, secret } = parted(variables);
    const entry = {
      ...(externalId === null ? {} : { externalId }),
      ...{ name, hostname, port, username, enabled, tags },
      ...(hostKey === null ? {} : { hostKey: { publicKey: `${hostKey.type} ${hostKey.publicKey}` } }),
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

/** What selectors call the tag that an imported group has become. */
const GROUP_TAG = /^group\.(.+)$/;
/** Groups that Ansible has by itself. */
const OWN_GROUPS: ReadonlySet<string> = new Set(['all', 'ungrouped', '_meta']);

/** Ansible would evaluate such a name, on the machine of whoever runs it. */
const TEMPLATE = /\{[{%#]/;

/**
 * What an inventory script of Ansible prints for `--list`: tags are groups, `role=web` as `role_web`, and those that came
 * from groups under their names. Servers that are switched off are left out, as runs leave them out; how many are because
 * of their names, the variable `runward_left_out` of `all` says.
 */
class AnsibleWriter implements InventoryWriter {
  readonly media = 'application/json';
  readonly file = 'inventory.json';
  private readonly groups = new Map<string, string[]>();
  private separator = '';
  private leftOut = 0;

  begin(): string {
    return '{"_meta":{"hostvars":{\n';
  }

  server(
    { id, name, hostname, port, username, tags, enabled, environmentId }: ServerView,
    own: ShownVariables,
  ): string {
    if (!enabled) return '';
    if (TEMPLATE.test(name)) {
      this.leftOut += 1;
      return '';
    }
    const groups = Object.entries(tags).map(([key, value]) => groupOf(key, value));
    for (const group of groups.length === 0 ? ['ungrouped'] : new Set(groups)) {
      const hosts = this.groups.get(group) ?? [];
      this.groups.set(group, hosts);
      hosts.push(name);
    }
    const { plain, secret } = parted(own);
    const carried = plain.filter(([key, value]) => !isEvaluated(key, value));
    const leftOut = plain.filter(([key, value]) => isEvaluated(key, value)).map(([key]) => key);
    const variables = {
      ...Object.fromEntries(carried),
      ansible_host: hostname,
      ansible_port: port,
      ansible_user: username,
      runward_id: id,
      runward_environment_id: environmentId,
      runward_tags: tags,
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
    const all = [`"all":${JSON.stringify({ children, vars: { runward_left_out: this.leftOut } })}`];
    const listed = groups.map(
      (group) => `${JSON.stringify(group)}:${JSON.stringify({ hosts: this.groups.get(group) })}`,
    );
    return `\n}},\n${[...all, ...listed].join(',\n')}\n}\n`;
  }
}

/** Settings of Ansible may start programs on the machine of whoever runs it, and so may templates. */
const isEvaluated = (name: string, value: VariableValue): boolean =>
  /^ansible_/i.test(name) || TEMPLATE.test(typeof value === 'object' ? value.join('\n') : String(value));

/** Secrets never leave: only how they are called is told. */
function parted(variables: ShownVariables): { plain: [string, VariableValue][]; secret: string[] } {
  const all = [...variables];
  return {
    plain: all.filter((each): each is [string, VariableValue] => each[1] !== null),
    secret: all.flatMap(([name, value]) => (value === null ? [name] : [])),
  };
}

/** Group names are Python identifiers as far as letters, digits and `_` go. */
function groupOf(key: string, value: string): string {
  const imported = value === 'true' ? GROUP_TAG.exec(key)?.[1] : undefined;
  const name = (imported ?? `${key}_${value}`).replace(/[^A-Za-z0-9_]/g, '_');
  return OWN_GROUPS.has(name) || /^[0-9]/.test(name) ? `tag_${name}` : name;
}

/** What OpenSSH would take for a pattern, a quote or the end of the name. */
const NO_HOST_NAME = /[\s*?!"'#,=\\]|^-/;

/** What ends a line. */
const LINE_ENDS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** Entries for `~/.ssh/config`. Servers that are switched off are left out, as runs leave them out. */
class SshConfigWriter implements InventoryWriter {
  readonly media = 'text/plain';
  readonly file = 'ssh_config';

  begin(): string {
    return '';
  }

  server({ name, hostname, port, username, enabled, hostKey }: ServerView): string {
    if (!enabled) return '';
    const about = hostKey ? `# host key ${hostKey.type} ${hostKey.fingerprint}\n` : '';
    if (NO_HOST_NAME.test(name))
      return `# ${name.replace(LINE_ENDS, ' ')}: no name that OpenSSH takes; it is at ${username}@${hostname} port ${port}\n\n`;
    return `${about}Host ${name}\n  HostName ${hostname.replaceAll('%', '%%')}\n  Port ${port}\n  User ${username}\n\n`;
  }

  end(): string {
    return '';
  }
}
