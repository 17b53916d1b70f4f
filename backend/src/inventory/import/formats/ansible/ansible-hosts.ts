import type { AnsibleInventory, InventoryHost } from './ansible-inventory.ts';
import { CONNECTION_SETTINGS } from './ansible-settings.ts';
import { ConnectionReader } from './connection-variables.ts';
import { groupTags } from './group-tags.ts';
import { ALL, type Group } from './group-tree.ts';
import type { ImportedHost, ImportedValue } from '../texts/inventory-text.ts';
import { MAX_TAGS, MAX_VARIABLES } from '../texts/limits.ts';
import { ResultSize } from '../texts/result-size.ts';
import type { Settings } from './variable-settings.ts';

const TOO_MANY_REASON = `A server can have at most ${MAX_TAGS} tags; only those of the nearest groups are kept.`;

interface Membership {
  readonly settings: Settings;
  readonly tags: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the hosts of an inventory with the settings of their groups. Call it only after the whole inventory is read.
 */
export function ansibleHosts(inventory: AnsibleInventory): ImportedHost[] {
  const { findings, tree } = inventory;
  if (findings.hasFaults) return [];
  tree.order();
  const memberships = new Memberships(inventory);
  const connections = new ConnectionReader(findings);
  const size = new ResultSize(findings);
  const hosts: ImportedHost[] = [];
  let refused: string | null = null;
  for (const host of inventory.hosts) {
    const { settings: ofGroups, tags } = memberships.of(host);
    const settings = mergeSettings([ofGroups, ...host.settings], inventory);
    const refusal = connections.refusal(settings);
    if (refusal !== null) {
      refused ??= refusal;
      findings.leaveOut(host.line, host.name, host.name, refusal);
      continue;
    }
    const variables = variablesOf(host, settings, inventory);
    const connection = connections.read(settings);
    const importedHost: ImportedHost = {
      line: host.line,
      name: host.name,
      hostname: host.name,
      ...connection,
      ...(tags && { tags }),
      ...(variables && { variables }),
    };
    size.add(importedHost);
    hosts.push(importedHost);
  }
  if (hosts.length === 0 && refused !== null) {
    findings.fault(null, null, 'no_hosts', `The text contains no host that can be imported. ${refused}`);
  }
  return hosts;
}

/** Caches settings for each set of groups, because hosts of the same groups have the same settings. */
class Memberships {
  readonly #inventory: AnsibleInventory;
  readonly #tags: ReadonlyMap<Group, string>;
  readonly #numbers: ReadonlyMap<Group, number>;
  readonly #known = new Map<string, Membership>();

  constructor(inventory: AnsibleInventory) {
    this.#inventory = inventory;
    const groups = [...inventory.tree.groups];
    this.#tags = groupTags(groups, inventory.findings);
    this.#numbers = new Map(groups.map((group, number) => [group, number]));
  }

  of(host: InventoryHost): Membership {
    const directGroups = this.#inventory.groupsOf(host);
    this.#inventory.findings.spend(directGroups.length);
    const key = directGroups
      .map((group) => this.#numbers.get(group))
      .sort()
      .join(' ');
    const known = this.#known.get(key);
    if (known) return known;
    const groups = this.#inventory.tree.around(directGroups, host.name, host.line);
    const all = this.#inventory.tree.get(ALL);
    const settings = mergeSettings(
      [...(all ? [all] : []), ...groups].map((group) => group.settings),
      this.#inventory,
    );
    const tags = this.#tagsOf(groups, host);
    const membership = { settings, tags };
    this.#known.set(key, membership);
    return membership;
  }

  /**
   * @param groups farthest group first; if there are too many tags for a server, tags of the farthest groups are
   *   omitted
   */
  #tagsOf(groups: readonly Group[], host: InventoryHost): Membership['tags'] {
    const taggedGroups = groups.filter((group) => this.#tags.has(group));
    for (const { name } of taggedGroups.slice(0, -MAX_TAGS))
      this.#inventory.findings.leaveOut(host.line, host.name, `tag of the group ${name}`, TOO_MANY_REASON);
    const keys = taggedGroups.slice(-MAX_TAGS).flatMap((group) => this.#tags.get(group) ?? []);
    return keys.length > 0 ? Object.fromEntries(keys.sort().map((tag) => [tag, 'true'])) : undefined;
  }
}

/** Merges layers of settings; later layers override earlier ones. */
function mergeSettings(layers: readonly Settings[], { findings }: AnsibleInventory): Settings {
  const [only] = layers;
  if (layers.length === 1 && only) return only;
  const settings: Settings = new Map();
  for (const layer of layers) {
    findings.spend(layer.size);
    for (const [name, setting] of layer) settings.set(name, setting);
  }
  return settings;
}

function variablesOf(
  host: InventoryHost,
  settings: Settings,
  { findings }: AnsibleInventory,
): Readonly<Record<string, ImportedValue>> | undefined {
  const variables: [string, ImportedValue][] = [];
  for (const [name, { value }] of settings) {
    if (value !== undefined && !CONNECTION_SETTINGS.has(name)) variables.push([name, value]);
  }
  if (variables.length > MAX_VARIABLES) {
    const message = `The host has ${variables.length} variables, including those of its groups; a server has at most ${MAX_VARIABLES}.`;
    findings.fault(host.line, host.name, 'too_many_variables', message);
  }
  return variables.length > 0 ? Object.fromEntries(variables) : undefined;
}
