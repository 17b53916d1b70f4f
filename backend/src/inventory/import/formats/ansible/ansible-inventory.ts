import type { Findings } from '../texts/findings.ts';
import { type AnsibleGroup, GroupTree, UNGROUPED_GROUP } from './group-tree.ts';
import { readHostPattern } from './host-range.ts';
import { MAX_HOSTS } from '../texts/inventory-text.ts';
import { MAX_NAME_LENGTH } from '../texts/limits.ts';
import { addSetting, type AnsibleSettings } from './variable-settings.ts';
import type { RawValue } from '../texts/variable-values.ts';

export interface InventoryHost {
  readonly name: string;
  readonly line: number | null;
  readonly groups: Set<AnsibleGroup>;
  /**
   * Settings of each place that names the host; later places override earlier ones. Hosts of one range share the
   * object.
   */
  readonly settings: AnsibleSettings[];
}

export class AnsibleInventory {
  readonly tree: GroupTree;
  readonly findings: Findings;
  readonly #hosts = new Map<string, InventoryHost>();

  constructor(findings: Findings) {
    this.findings = findings;
    this.tree = new GroupTree(findings);
  }

  get hosts(): IterableIterator<InventoryHost> {
    return this.#hosts.values();
  }

  host(name: string): InventoryHost | undefined {
    return this.#hosts.get(name);
  }

  /** Returns the group, and creates it if necessary; null: the name is invalid, which has been reported. */
  group(name: string, line: number | null): AnsibleGroup | null {
    if (name.length <= MAX_NAME_LENGTH && name !== '') return this.tree.add(name, line);
    const message = `A group name must have 1 to ${MAX_NAME_LENGTH} characters.`;
    this.findings.recordFault(line, name, name === '' ? 'bad_group' : 'name_too_long', message);
    return null;
  }

  /** Adds all hosts of a pattern such as `web[01:50]:2222` with the same settings. */
  addPattern(text: string, group: AnsibleGroup, line: number | null, settings: AnsibleSettings): void {
    const pattern = readHostPattern(text);
    if ('code' in pattern) return this.findings.recordFault(line, text, pattern.code, pattern.message);
    if (pattern.count > MAX_HOSTS) this.#refuseMany(line, text);
    const port: AnsibleSettings = new Map();
    if (pattern.port !== null) port.set('ansible_port', { line, entry: text, value: pattern.port, isTemplate: false });
    for (const name of pattern.names()) {
      this.addHost(name, group, line, settings);
      const host = this.#hosts.get(name);
      // A variable `ansible_port` on any line overrides a port after the name. If several lines have a port after the
      // name, the first line wins.
      if (port.size > 0 && host && !host.settings.some((known) => known.has('ansible_port')))
        host.settings.unshift(port);
    }
  }

  addHost(name: string, group: AnsibleGroup, line: number | null, settings: AnsibleSettings): void {
    if (name === '' || name.length > MAX_NAME_LENGTH) {
      const message = `A host name must have 1 to ${MAX_NAME_LENGTH} characters.`;
      return this.findings.recordFault(line, name, name === '' ? 'bad_host' : 'name_too_long', message);
    }
    let host = this.#hosts.get(name);
    if (!host) {
      if (this.#hosts.size >= MAX_HOSTS) this.#refuseMany(line, name);
      host = { name, line, groups: new Set(), settings: [] };
      this.#hosts.set(name, host);
    }
    this.findings.countSteps(3);
    host.groups.add(group);
    if (settings.size > 0) host.settings.push(settings);
  }

  setGroupVariable(group: AnsibleGroup, name: string, value: RawValue, line: number | null): void {
    if (name !== 'ansible_group_priority') {
      addSetting(group.settings, name, value, { line, entry: group.name }, this.findings);
      return;
    }
    const priority = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(priority)) group.priority = priority;
    else this.findings.recordFault(line, group.name, 'bad_value', '"ansible_group_priority" must be a whole number.');
  }

  /** Returns the groups that name the host; `ungrouped` only if no other group names it. */
  groupsOf(host: InventoryHost): AnsibleGroup[] {
    const named = [...host.groups].filter((group) => group.depth > 0 && group.name !== UNGROUPED_GROUP);
    const ungrouped = this.tree.get(UNGROUPED_GROUP);
    return named.length > 0 || !ungrouped ? named : [ungrouped];
  }

  #refuseMany(line: number | null, entry: string): never {
    const message = `A text can contain at most ${MAX_HOSTS} hosts; this entry exceeds the limit. Import the text in several parts.`;
    return this.findings.refuse(line, entry, 'too_many_hosts', message);
  }
}
