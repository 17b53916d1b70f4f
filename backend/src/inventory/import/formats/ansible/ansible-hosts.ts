import type { AnsibleInventory, InventoryHost } from './ansible-inventory.ts';
import { CONNECTION_SETTINGS } from './ansible-settings.ts';
import { ConnectionReader } from './connection-variables.ts';
import { toGroupTags } from './group-tags.ts';
import { ALL_GROUP, type AnsibleGroup } from './group-tree.ts';
import type { ImportedHost, ImportedValue } from '../texts/inventory-text.ts';
import { MAX_TAGS, MAX_VARIABLES } from '../texts/limits.ts';
import { ResultSize } from '../texts/result-size.ts';
import type { AnsibleSettings } from './variable-settings.ts';

const TOO_MANY_TAGS_REASON = `A server can have at most ${MAX_TAGS} tags; only those of the nearest groups are kept.`;

interface GroupInheritance {
  readonly settings: AnsibleSettings;
  readonly tags: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the hosts of an inventory with the settings of their groups. Call it only after the whole inventory is read.
 */
export function toImportedHosts(inventory: AnsibleInventory): ImportedHost[] {
  const { findings, tree } = inventory;
  if (findings.hasFaults) return [];
  tree.sortByDepth();
  const memberships = new GroupInheritanceCache(inventory);
  const connections = new ConnectionReader(findings);
  const size = new ResultSize(findings);
  const hosts: ImportedHost[] = [];
  let refused: string | null = null;
  for (const host of inventory.hosts) {
    const { settings: ofGroups, tags } = memberships.getInheritance(host);
    const settings = mergeSettings([ofGroups, ...host.settings], inventory);
    const refusal = connections.findRefusalReason(settings);
    if (refusal !== null) {
      refused ??= refusal;
      findings.leaveOut(host.line, host.name, host.name, refusal);
      continue;
    }
    const variables = toHostVariables(host, settings, inventory);
    const connection = connections.readConnection(settings);
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
    findings.recordFault(null, null, 'no_hosts', `The text contains no host that can be imported. ${refused}`);
  }
  return hosts;
}

/** Caches settings for each set of groups, because hosts of the same groups have the same settings. */
class GroupInheritanceCache {
  readonly #inventory: AnsibleInventory;
  readonly #tags: ReadonlyMap<AnsibleGroup, string>;
  readonly #numbers: ReadonlyMap<AnsibleGroup, number>;
  readonly #known = new Map<string, GroupInheritance>();

  constructor(inventory: AnsibleInventory) {
    this.#inventory = inventory;
    const groups = [...inventory.tree.groups];
    this.#tags = toGroupTags(groups, inventory.findings);
    this.#numbers = new Map(groups.map((group, number) => [group, number]));
  }

  getInheritance(host: InventoryHost): GroupInheritance {
    const directGroups = this.#inventory.groupsOf(host);
    this.#inventory.findings.countSteps(directGroups.length);
    const key = directGroups
      .map((group) => this.#numbers.get(group))
      .sort()
      .join(' ');
    const known = this.#known.get(key);
    if (known) return known;
    const groups = this.#inventory.tree.listGroupsAround(directGroups, host.name, host.line);
    const all = this.#inventory.tree.get(ALL_GROUP);
    const settings = mergeSettings(
      [...(all ? [all] : []), ...groups].map((group) => group.settings),
      this.#inventory,
    );
    const tags = this.#toTags(groups, host);
    const membership = { settings, tags };
    this.#known.set(key, membership);
    return membership;
  }

  /**
   * @param groups farthest group first; if there are too many tags for a server, tags of the farthest groups are
   *   omitted
   */
  #toTags(groups: readonly AnsibleGroup[], host: InventoryHost): GroupInheritance['tags'] {
    const taggedGroups = groups.filter((group) => this.#tags.has(group));
    for (const { name } of taggedGroups.slice(0, -MAX_TAGS))
      this.#inventory.findings.leaveOut(host.line, host.name, `tag of the group ${name}`, TOO_MANY_TAGS_REASON);
    const keys = taggedGroups.slice(-MAX_TAGS).flatMap((group) => this.#tags.get(group) ?? []);
    return keys.length > 0 ? Object.fromEntries(keys.sort().map((tag) => [tag, 'true'])) : undefined;
  }
}

/** Merges layers of settings; later layers override earlier ones. */
function mergeSettings(layers: readonly AnsibleSettings[], { findings }: AnsibleInventory): AnsibleSettings {
  const [only] = layers;
  if (layers.length === 1 && only) return only;
  const settings: AnsibleSettings = new Map();
  for (const layer of layers) {
    findings.countSteps(layer.size);
    for (const [name, setting] of layer) settings.set(name, setting);
  }
  return settings;
}

function toHostVariables(
  host: InventoryHost,
  settings: AnsibleSettings,
  { findings }: AnsibleInventory,
): Readonly<Record<string, ImportedValue>> | undefined {
  const variables: [string, ImportedValue][] = [];
  for (const [name, { value }] of settings) {
    if (value !== undefined && !CONNECTION_SETTINGS.has(name)) variables.push([name, value]);
  }
  if (variables.length > MAX_VARIABLES) {
    const message = `The host has ${variables.length} variables, including those of its groups; a server has at most ${MAX_VARIABLES}.`;
    findings.recordFault(host.line, host.name, 'too_many_variables', message);
  }
  return variables.length > 0 ? Object.fromEntries(variables) : undefined;
}
