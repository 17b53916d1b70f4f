import { toImportedHosts } from './ansible-hosts.ts';
import { AnsibleInventory } from './ansible-inventory.ts';
import type { Findings } from '../texts/findings.ts';
import type { AnsibleGroup } from './group-tree.ts';
import type { InventoryFormat } from '../texts/inventory-format.ts';
import type { ImportedHost } from '../texts/inventory-text.ts';
import { readContentLines } from '../texts/text-lines.ts';
import { describeNodeKind, type TreeField, type TreeNode } from '../texts/text-tree.ts';
import { addSetting, type AnsibleSettings } from './variable-settings.ts';
import { toRawValue } from '../texts/variable-values.ts';
import { readYamlTree } from '../texts/yaml-tree.ts';

const YAML_GROUP_SECTIONS = ['vars', 'children', 'hosts'];
const SECTION_REASON =
  'A group can contain only "hosts", "vars" and "children". Put variables of a group under "vars".';

/** Head of an INI section. A YAML inventory never begins with a list, so this is the wrong format. */
const INI_SECTION_HEAD_PATTERN = /^\[[A-Za-z0-9_:.-]+\]$/;

export const ANSIBLE_YAML = {
  name: 'ansible-yaml',
  label: 'Ansible inventory, YAML',
  meaning: 'Hosts under “hosts:” of groups such as “all:”, as in inventory.yml.',
  expected: 'Write hosts under "hosts:" of a group such as "all:", as in an Ansible YAML inventory.',
  fileName: { pattern: /\.ya?ml$/, decides: true },
  clues: [{ certainty: 2, patterns: [/^(---|[\w.-]+:)[ \t]*(#.*)?$/m] }],
  read: readAnsibleYaml,
} as const satisfies InventoryFormat;

function readAnsibleYaml(content: string, findings: Findings): ImportedHost[] {
  const [first] = readContentLines(content, '#;', findings);
  if (first && INI_SECTION_HEAD_PATTERN.test(first.text)) {
    const message = 'This is an inventory in the INI format. Choose the format Ansible INI.';
    findings.refuse(first.number, null, 'wrong_format', message);
  }
  const tree = readYamlTree(content, findings);
  if (!tree || (tree.kind === 'scalar' && tree.value === null)) return [];
  if (tree.kind !== 'map') {
    const message = `An inventory in YAML must begin with groups, such as "all:"; this text is ${describeNodeKind(tree)}.`;
    findings.refuse(tree.line, null, 'wrong_format', message);
  }
  const plugin = tree.fields.get('plugin');
  if (plugin) {
    const message =
      'This is the configuration of an inventory plugin and contains no hosts. Import the output of "ansible-inventory --list" as Ansible JSON.';
    findings.refuse(plugin.line, 'plugin', 'plugin_configuration', message);
  }
  const reader = new AnsibleYamlReader(findings);
  for (const [name, field] of tree.fields) reader.readGroup(name, field);
  return toImportedHosts(reader.inventory);
}

class AnsibleYamlReader {
  readonly inventory: AnsibleInventory;
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.inventory = new AnsibleInventory(findings);
  }

  readGroup(name: string, { line, value }: TreeField): AnsibleGroup | null {
    this.#findings.countSteps(1);
    if (value.kind !== 'map' && !isNull(value)) {
      const reason = `It is ${describeNodeKind(value)}, not a group with "hosts", "vars" or "children".`;
      this.#findings.leaveOut(line, name, name, reason);
      return null;
    }
    const group = this.inventory.group(name, line);
    if (!group || value.kind !== 'map') return group;
    for (const [section, field] of value.fields) {
      if (YAML_GROUP_SECTIONS.includes(section)) this.#readSection(section, field, group);
      else this.#findings.leaveOut(field.line, name, section, SECTION_REASON);
    }
    return group;
  }

  #readSection(section: string, { line, value }: TreeField, group: AnsibleGroup): void {
    for (const [name, field] of this.#readEntries(section, line, value, group)) {
      this.#findings.countSteps(1);
      if (section === 'hosts') this.#readHost(name, field, group);
      else if (section === 'vars') this.inventory.setGroupVariable(group, name, toRawValue(field.value), field.line);
      else {
        const child = this.readGroup(name, field);
        if (child) this.inventory.tree.addChild(group, child, field.line);
      }
    }
  }

  #readHost(pattern: string, { line, value }: TreeField, group: AnsibleGroup): void {
    const settings: AnsibleSettings = new Map();
    if (value.kind === 'map') {
      this.#findings.countSteps(value.fields.size);
      for (const [name, field] of value.fields) {
        addSetting(settings, name, toRawValue(field.value), { line: field.line, entry: pattern }, this.#findings);
      }
    } else if (!isNull(value)) {
      const message = `Write the variables of a host as "name: value"; this is ${describeNodeKind(value)}.`;
      return this.#findings.recordFault(line, pattern, 'bad_host', message);
    }
    this.inventory.addPattern(pattern, group, line, settings);
  }

  /** Yields the names in a section and their settings. A plain string is a name without settings. */
  #readEntries(section: string, line: number, node: TreeNode, group: AnsibleGroup): Iterable<[string, TreeField]> {
    if (isNull(node)) return [];
    if (node.kind === 'map') return node.fields;
    if (node.kind === 'scalar' && typeof node.value === 'string') {
      return [[node.value, { line: node.line, value: { kind: 'scalar', line: node.line, value: null } }]];
    }
    const message = `"${section}" of a group must be a map with one "name:" per line, but this is ${describeNodeKind(node)}.`;
    this.#findings.recordFault(line, group.name, 'bad_group', message);
    return [];
  }
}

const isNull = (node: TreeNode) => node.kind === 'scalar' && node.value === null;
