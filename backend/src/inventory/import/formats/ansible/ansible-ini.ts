import { isIPv6 } from 'node:net';
import { AnsibleInventory } from './ansible-inventory.ts';
import { toImportedHosts } from './ansible-hosts.ts';
import { type Findings, toPrintableName } from '../texts/findings.ts';
import { type AnsibleGroup, UNGROUPED_GROUP } from './group-tree.ts';
import type { InventoryFormat } from '../texts/inventory-format.ts';
import type { ImportedHost } from '../texts/inventory-text.ts';
import { readPythonLiteral } from './python-literal.ts';
import { splitShellWords } from '../texts/shell-words.ts';
import { readContentLines, type TextLine } from '../texts/text-lines.ts';
import { addSetting, type AnsibleSettings } from './variable-settings.ts';

type IniSectionKind = 'hosts' | 'vars' | 'children';

interface IniSection {
  readonly kind: IniSectionKind;
  /** Null: the section head is invalid, so the lines of the section are ignored. */
  readonly group: AnsibleGroup | null;
}

const SECTION_HEAD_PATTERN = /^\[([^:\]\s]+)(?::(\w+))?\]\s*(?:#.*)?$/;
const GROUP_NAME_PATTERN = /^([^:\]\s]+)\s*(?:#.*)?$/;

export const ANSIBLE_INI = {
  name: 'ansible-ini',
  label: 'Ansible inventory, INI',
  meaning: 'Groups such as [web] with one host or range per line, as in a file named hosts.',
  expected: 'Write one host per line, in groups such as [web], as in an Ansible INI inventory.',
  fileName: { pattern: /\.ini$|^(hosts|inventory)(?!.*\.conf$)/, decides: false },
  clues: [{ certainty: 1, patterns: [/^\[[\w.:-]+\][ \t]*$|\bansible_\w+[ \t]*=/m] }],
  read: readAnsibleIni,
} as const satisfies InventoryFormat;

function readAnsibleIni(content: string, findings: Findings): ImportedHost[] {
  const reader = new IniReader(findings);
  for (const line of readContentLines(content, '#;', findings)) reader.readLine(line);
  return reader.hosts();
}

class IniReader {
  readonly #inventory: AnsibleInventory;
  readonly #findings: Findings;
  /** Groups that have their own section. Other groups are only mentioned. */
  readonly #declared = new Set<string>(['all', UNGROUPED_GROUP]);
  readonly #spokenOf = new Map<string, number>();
  #section: IniSection;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.#inventory = new AnsibleInventory(findings);
    this.#section = { kind: 'hosts', group: this.#inventory.tree.add(UNGROUPED_GROUP, null) };
  }

  readLine(line: TextLine): void {
    const head = SECTION_HEAD_PATTERN.exec(line.text);
    if (head) this.#openSection(head[1] ?? '', head[2], line.number);
    else if (isBracketed(line.text)) this.#addHeadFault(line.number);
    else if (this.#section.group) this.#readContent(line, this.#section.kind, this.#section.group);
  }

  hosts(): ImportedHost[] {
    for (const [name, line] of this.#spokenOf) {
      if (this.#declared.has(name)) continue;
      const printedName = toPrintableName(name);
      const message = `No section declares the group "${printedName}". Add [${printedName}] or [${printedName}:children].`;
      this.#findings.recordFault(line, name, 'unknown_group', message);
    }
    return toImportedHosts(this.#inventory);
  }

  #addHeadFault(line: number): void {
    const message = 'A section header must be [group], [group:vars] or [group:children], without spaces.';
    this.#findings.recordFault(line, null, 'bad_section', message);
    this.#section = { kind: 'hosts', group: null };
  }

  #openSection(name: string, kind: string = 'hosts', line: number): void {
    if (kind !== 'hosts' && kind !== 'vars' && kind !== 'children') return this.#addHeadFault(line);
    if (kind === 'vars') this.#reportSection(name, line);
    else this.#declared.add(name);
    this.#section = { kind, group: this.#inventory.group(name, line) };
  }

  #reportSection(name: string, line: number): void {
    if (!this.#spokenOf.has(name)) this.#spokenOf.set(name, line);
  }

  #readContent(line: TextLine, kind: IniSectionKind, group: AnsibleGroup): void {
    if (kind === 'hosts') this.#readHostLine(line, group);
    else if (kind === 'vars') this.#readVariableLine(line, group);
    else this.#readChildLine(line, group);
  }

  /** Reads a line that names a host. Messages repeat only the name: a misread word may be part of a password. */
  #readHostLine({ number, text }: TextLine, group: AnsibleGroup): void {
    const [pattern, ...words] = splitShellWords(text, { comments: true }) ?? [];
    if (pattern === undefined) {
      const message = 'This line has an unclosed quote, or ends with a backslash.';
      return this.#findings.recordFault(number, null, 'unclosed_quote', message);
    }
    if (pattern === '---') {
      this.#findings.refuse(number, null, 'wrong_format', 'This is YAML. Choose the format Ansible YAML.');
    }
    const settings: AnsibleSettings = new Map();
    for (const word of words) {
      const sign = word.indexOf('=');
      if (sign < 0) {
        const message =
          'After the name, a host line can contain only name=value, without spaces around "=". Put quotes around a value with spaces.';
        return this.#findings.recordFault(number, pattern, 'bad_variable', message);
      }
      const value = readPythonLiteral(word.slice(sign + 1));
      addSetting(settings, word.slice(0, sign), value, { line: number, entry: pattern }, this.#findings);
    }
    this.#inventory.addPattern(pattern, group, number, settings);
  }

  #readVariableLine({ number, text }: TextLine, group: AnsibleGroup): void {
    const sign = text.indexOf('=');
    if (sign < 0) {
      const message = 'A line of a :vars section must be name=value.';
      return this.#findings.recordFault(number, group.name, 'bad_variable', message);
    }
    const value = readPythonLiteral(text.slice(sign + 1).trim());
    this.#inventory.setGroupVariable(group, text.slice(0, sign).trim(), value, number);
  }

  #readChildLine({ number, text }: TextLine, group: AnsibleGroup): void {
    const name = GROUP_NAME_PATTERN.exec(text)?.[1];
    if (name === undefined) {
      const message = 'A line of a :children section must be the name of one group.';
      return this.#findings.recordFault(number, group.name, 'bad_group', message);
    }
    this.#reportSection(name, number);
    const child = this.#inventory.group(name, number);
    if (child) this.#inventory.tree.addChild(group, child, number);
  }
}

const isBracketed = (text: string) => text.startsWith('[') && text.endsWith(']') && !isIPv6(text.slice(1, -1));
