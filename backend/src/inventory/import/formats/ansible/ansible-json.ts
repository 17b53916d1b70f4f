import { ansibleHosts } from './ansible-hosts.ts';
import { AnsibleInventory } from './ansible-inventory.ts';
import { exactNumber } from '../texts/exact-numbers.ts';
import type { Findings } from '../texts/findings.ts';
import type { Group } from './group-tree.ts';
import type { ImportedHost } from '../texts/inventory-text.ts';
import { readJsonTree, repeatedName } from '../texts/json-tree.ts';
import { kindOf, textOf, type TreeField, type TreeMap, type TreeNode } from '../texts/text-tree.ts';
import { addSetting, type Settings } from './variable-settings.ts';
import { rawValue } from '../texts/variable-values.ts';

const META_KEY = '_meta';
const GROUP_KEYS = ['hosts', 'vars', 'children'];

export function readAnsibleJson(content: string, findings: Findings): ImportedHost[] {
  const rules = { number: exactNumber, repeated: repeatedName(findings) };
  const tree = content.trim() === '' ? null : readJsonTree(content, rules, findings);
  if (!tree) return [];
  if (tree.kind !== 'map') {
    const message = `The output of "ansible-inventory --list" must be an object of groups; this text is ${kindOf(tree)}.`;
    findings.refuse(tree.line, null, 'wrong_format', message);
  }
  const reader = new ListReader(findings);
  for (const [name, field] of tree.fields) if (name !== META_KEY) reader.group(name, field);
  reader.hostVariables(tree.fields.get(META_KEY));
  return ansibleHosts(reader.inventory);
}

class ListReader {
  readonly inventory: AnsibleInventory;
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.inventory = new AnsibleInventory(findings);
  }

  group(name: string, { line, value }: TreeField): void {
    const group = this.inventory.group(name, line);
    if (!group) return;
    if (value.kind === 'list') return this.#hosts(value, group);
    if (value.kind !== 'map')
      return this.#bad(line, name, `A group must be an object or a list of hosts, but this is ${kindOf(value)}.`);
    if (value.fields.size > 0 && !GROUP_KEYS.some((part) => value.fields.has(part))) {
      // In the oldest form, an entry is a host with its variables, in a group of the same name.
      return this.inventory.addHost(name, group, line, this.#settings(value, name));
    }
    for (const [part, field] of value.fields) this.#part(part, field, group);
  }

  hostVariables(meta: TreeField | undefined): void {
    const variables = meta?.value.kind === 'map' ? meta.value.fields.get('hostvars') : undefined;
    if (!variables) return;
    if (variables.value.kind !== 'map') {
      return this.#bad(
        variables.line,
        META_KEY,
        `"hostvars" must be an object with variables by host, but this is ${kindOf(variables.value)}.`,
      );
    }
    for (const [name, { line, value }] of variables.value.fields) {
      const host = this.inventory.host(name);
      if (!host) this.#findings.leaveOut(line, name, name, 'It has variables, but is in no group.');
      else if (value.kind === 'map') host.settings.push(this.#settings(value, name));
      else this.#bad(line, name, `The variables of a host must be an object, but this is ${kindOf(value)}.`);
    }
  }

  #part(part: string, { line, value }: TreeField, group: Group): void {
    if (part === 'hosts') this.#hosts(value, group);
    else if (part === 'children') this.#children(value, group);
    else if (part !== 'vars') {
      this.#findings.leaveOut(line, group.name, part, 'A group can contain only "hosts", "vars" and "children".');
    } else if (value.kind === 'map') {
      for (const [name, field] of value.fields)
        this.inventory.setGroupVariable(group, name, rawValue(field.value), field.line);
    } else this.#bad(line, group.name, `"vars" of a group must be an object, but this is ${kindOf(value)}.`);
  }

  #hosts(node: TreeNode, group: Group): void {
    for (const { name, line } of this.#names(node, 'hosts', group))
      this.inventory.addHost(name, group, line, new Map());
  }

  #children(node: TreeNode, group: Group): void {
    for (const { name, line } of this.#names(node, 'children', group)) {
      const child = this.inventory.group(name, line);
      if (child) this.inventory.tree.addChild(group, child, line);
    }
  }

  #names(node: TreeNode, part: string, group: Group): { name: string; line: number }[] {
    if (node.kind !== 'list') {
      this.#bad(node.line, group.name, `"${part}" of a group must be a list of names, but this is ${kindOf(node)}.`);
      return [];
    }
    const names: { name: string; line: number }[] = [];
    for (const item of node.items) {
      const name = textOf(item);
      if (name === null)
        this.#bad(
          item.line,
          group.name,
          `"${part}" of a group must be a list of names, but it contains ${kindOf(item)}.`,
        );
      else names.push({ name, line: item.line });
    }
    return names;
  }

  #settings(variables: TreeMap, entry: string): Settings {
    const settings: Settings = new Map();
    for (const [name, { line, value }] of variables.fields) {
      addSetting(settings, name, rawValue(value), { line, entry }, this.#findings);
    }
    return settings;
  }

  #bad(line: number, entry: string, message: string): void {
    this.#findings.fault(line, entry, 'bad_group', message);
  }
}
