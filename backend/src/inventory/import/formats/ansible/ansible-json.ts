import { toImportedHosts } from './ansible-hosts.ts';
import { AnsibleInventory } from './ansible-inventory.ts';
import { toExactNumber, toRawValue } from '../texts/variable-values.ts';
import type { Findings } from '../texts/findings.ts';
import type { AnsibleGroup } from './group-tree.ts';
import type { InventoryFormat } from '../texts/inventory-format.ts';
import type { ImportedHost } from '../texts/inventory-text.ts';
import { readJsonTree, createRepeatedNameRule } from '../texts/json-tree.ts';
import { describeNodeKind, getNodeText, type TreeField, type TreeMap, type TreeNode } from '../texts/text-tree.ts';
import { addSetting, type AnsibleSettings } from './variable-settings.ts';

const META_KEY = '_meta';
const JSON_GROUP_KEYS = ['hosts', 'vars', 'children'];

export const ANSIBLE_JSON = {
  name: 'ansible-json',
  label: 'Ansible inventory, JSON',
  meaning: 'Output of “ansible-inventory --list”, including dynamic inventories.',
  expected: 'Send the output of "ansible-inventory --list": groups with their "hosts", and "_meta" with "hostvars".',
  clues: [{ certainty: 3, patterns: [/^\s*\{/, /"(_meta|hostvars|children|hosts|vars)"\s*:/] }],
  read: readAnsibleJson,
} as const satisfies InventoryFormat;

function readAnsibleJson(content: string, findings: Findings): ImportedHost[] {
  const rules = { number: toExactNumber, repeated: createRepeatedNameRule(findings) };
  const tree = content.trim() === '' ? null : readJsonTree(content, rules, findings);
  if (!tree) return [];
  if (tree.kind !== 'map') {
    const message = `The output of "ansible-inventory --list" must be an object of groups; this text is ${describeNodeKind(tree)}.`;
    findings.refuse(tree.line, null, 'wrong_format', message);
  }
  const reader = new AnsibleJsonReader(findings);
  for (const [name, field] of tree.fields) if (name !== META_KEY) reader.readGroup(name, field);
  reader.readHostVariables(tree.fields.get(META_KEY));
  return toImportedHosts(reader.inventory);
}

class AnsibleJsonReader {
  readonly inventory: AnsibleInventory;
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.inventory = new AnsibleInventory(findings);
  }

  readGroup(name: string, { line, value }: TreeField): void {
    const group = this.inventory.group(name, line);
    if (!group) return;
    if (value.kind === 'list') return this.#hosts(value, group);
    if (value.kind !== 'map')
      return this.#addFault(
        line,
        name,
        `A group must be an object or a list of hosts, but this is ${describeNodeKind(value)}.`,
      );
    if (value.fields.size > 0 && !JSON_GROUP_KEYS.some((part) => value.fields.has(part))) {
      // In the oldest form, an entry is a host with its variables, in a group of the same name.
      return this.inventory.addHost(name, group, line, this.#readSettings(value, name));
    }
    for (const [part, field] of value.fields) this.#readPart(part, field, group);
  }

  readHostVariables(meta: TreeField | undefined): void {
    const variables = meta?.value.kind === 'map' ? meta.value.fields.get('hostvars') : undefined;
    if (!variables) return;
    if (variables.value.kind !== 'map') {
      return this.#addFault(
        variables.line,
        META_KEY,
        `"hostvars" must be an object with variables by host, but this is ${describeNodeKind(variables.value)}.`,
      );
    }
    for (const [name, { line, value }] of variables.value.fields) {
      const host = this.inventory.host(name);
      if (!host) this.#findings.leaveOut(line, name, name, 'It has variables, but is in no group.');
      else if (value.kind === 'map') host.settings.push(this.#readSettings(value, name));
      else
        this.#addFault(
          line,
          name,
          `The variables of a host must be an object, but this is ${describeNodeKind(value)}.`,
        );
    }
  }

  #readPart(part: string, { line, value }: TreeField, group: AnsibleGroup): void {
    if (part === 'hosts') this.#hosts(value, group);
    else if (part === 'children') this.#children(value, group);
    else if (part !== 'vars') {
      this.#findings.leaveOut(line, group.name, part, 'A group can contain only "hosts", "vars" and "children".');
    } else if (value.kind === 'map') {
      for (const [name, field] of value.fields)
        this.inventory.setGroupVariable(group, name, toRawValue(field.value), field.line);
    } else
      this.#addFault(line, group.name, `"vars" of a group must be an object, but this is ${describeNodeKind(value)}.`);
  }

  #hosts(node: TreeNode, group: AnsibleGroup): void {
    for (const { name, line } of this.#readNames(node, 'hosts', group))
      this.inventory.addHost(name, group, line, new Map());
  }

  #children(node: TreeNode, group: AnsibleGroup): void {
    for (const { name, line } of this.#readNames(node, 'children', group)) {
      const child = this.inventory.group(name, line);
      if (child) this.inventory.tree.addChild(group, child, line);
    }
  }

  #readNames(node: TreeNode, part: string, group: AnsibleGroup): { name: string; line: number }[] {
    if (node.kind !== 'list') {
      this.#addFault(
        node.line,
        group.name,
        `"${part}" of a group must be a list of names, but this is ${describeNodeKind(node)}.`,
      );
      return [];
    }
    const names: { name: string; line: number }[] = [];
    for (const item of node.items) {
      const name = getNodeText(item);
      if (name === null)
        this.#addFault(
          item.line,
          group.name,
          `"${part}" of a group must be a list of names, but it contains ${describeNodeKind(item)}.`,
        );
      else names.push({ name, line: item.line });
    }
    return names;
  }

  #readSettings(variables: TreeMap, entry: string): AnsibleSettings {
    const settings: AnsibleSettings = new Map();
    for (const [name, { line, value }] of variables.fields) {
      addSetting(settings, name, toRawValue(value), { line, entry }, this.#findings);
    }
    return settings;
  }

  #addFault(line: number, entry: string, message: string): void {
    this.#findings.recordFault(line, entry, 'bad_group', message);
  }
}
