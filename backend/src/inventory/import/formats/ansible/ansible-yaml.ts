import { ansibleHosts } from './ansible-hosts.ts';
import { AnsibleInventory } from './ansible-inventory.ts';
import type { Findings } from '../texts/findings.ts';
import type { Group } from './group-tree.ts';
import type { ImportedHost } from '../texts/inventory-text.ts';
import { contentLines } from '../texts/text-lines.ts';
import { kindOf, type TreeField, type TreeNode } from '../texts/text-tree.ts';
import { addSetting, type Settings } from './variable-settings.ts';
import { rawValue } from '../texts/variable-values.ts';
import { readYamlTree } from '../texts/yaml-tree.ts';

const SECTIONS = ['vars', 'children', 'hosts'];
const SECTION_REASON =
  'A group can contain only "hosts", "vars" and "children". Put variables of a group under "vars".';

/** Head of an INI section. A YAML inventory never begins with a list, so this is the wrong format. */
const INI_HEAD = /^\[[A-Za-z0-9_:.-]+\]$/;

export function readAnsibleYaml(content: string, findings: Findings): ImportedHost[] {
  const [first] = contentLines(content, '#;', findings);
  if (first && INI_HEAD.test(first.text)) {
    const message = 'This is an inventory in the INI format. Choose the format Ansible INI.';
    findings.refuse(first.number, null, 'wrong_format', message);
  }
  const tree = readYamlTree(content, findings);
  if (!tree || (tree.kind === 'scalar' && tree.value === null)) return [];
  if (tree.kind !== 'map') {
    const message = `An inventory in YAML must begin with groups, such as "all:"; this text is ${kindOf(tree)}.`;
    findings.refuse(tree.line, null, 'wrong_format', message);
  }
  const plugin = tree.fields.get('plugin');
  if (plugin) {
    const message =
      'This is the configuration of an inventory plugin and contains no hosts. Import the output of "ansible-inventory --list" as Ansible JSON.';
    findings.refuse(plugin.line, 'plugin', 'plugin_configuration', message);
  }
  const reader = new YamlReader(findings);
  for (const [name, field] of tree.fields) reader.group(name, field);
  return ansibleHosts(reader.inventory);
}

class YamlReader {
  readonly inventory: AnsibleInventory;
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.inventory = new AnsibleInventory(findings);
  }

  group(name: string, { line, value }: TreeField): Group | null {
    this.#findings.spend(1);
    if (value.kind !== 'map' && !isNull(value)) {
      const reason = `It is ${kindOf(value)}, not a group with "hosts", "vars" or "children".`;
      this.#findings.leaveOut(line, name, name, reason);
      return null;
    }
    const group = this.inventory.group(name, line);
    if (!group || value.kind !== 'map') return group;
    for (const [section, field] of value.fields) {
      if (SECTIONS.includes(section)) this.#section(section, field, group);
      else this.#findings.leaveOut(field.line, name, section, SECTION_REASON);
    }
    return group;
  }

  #section(section: string, { line, value }: TreeField, group: Group): void {
    for (const [name, field] of this.#entries(section, line, value, group)) {
      this.#findings.spend(1);
      if (section === 'hosts') this.#host(name, field, group);
      else if (section === 'vars') this.inventory.setGroupVariable(group, name, rawValue(field.value), field.line);
      else {
        const child = this.group(name, field);
        if (child) this.inventory.tree.addChild(group, child, field.line);
      }
    }
  }

  #host(pattern: string, { line, value }: TreeField, group: Group): void {
    const settings: Settings = new Map();
    if (value.kind === 'map') {
      this.#findings.spend(value.fields.size);
      for (const [name, field] of value.fields) {
        addSetting(settings, name, rawValue(field.value), { line: field.line, entry: pattern }, this.#findings);
      }
    } else if (!isNull(value)) {
      const message = `Write the variables of a host as "name: value"; this is ${kindOf(value)}.`;
      return this.#findings.fault(line, pattern, 'bad_host', message);
    }
    this.inventory.addPattern(pattern, group, line, settings);
  }

  /** Yields the names in a section and their settings. A plain string is a name without settings. */
  #entries(section: string, line: number, node: TreeNode, group: Group): Iterable<[string, TreeField]> {
    if (isNull(node)) return [];
    if (node.kind === 'map') return node.fields;
    if (node.kind === 'scalar' && typeof node.value === 'string') {
      return [[node.value, { line: node.line, value: { kind: 'scalar', line: node.line, value: null } }]];
    }
    const message = `"${section}" of a group must be a map with one "name:" per line, but this is ${kindOf(node)}.`;
    this.#findings.fault(line, group.name, 'bad_group', message);
    return [];
  }
}

const isNull = (node: TreeNode) => node.kind === 'scalar' && node.value === null;
