import { isIPv6 } from 'node:net';
import { AnsibleInventory } from './ansible-inventory.ts';
import { ansibleHosts } from './ansible-hosts.ts';
import { type Findings, printableName } from '../texts/findings.ts';
import { type Group, UNGROUPED } from './group-tree.ts';
import type { ImportedHost } from '../texts/inventory-text.ts';
import { readPythonLiteral } from './python-literal.ts';
import { shellWords } from '../texts/shell-words.ts';
import { contentLines, type TextLine } from '../texts/text-lines.ts';
import { addSetting, type Settings } from './variable-settings.ts';

type SectionKind = 'hosts' | 'vars' | 'children';

interface Section {
  readonly kind: SectionKind;
  /** Null: the section head is invalid, so the lines of the section are ignored. */
  readonly group: Group | null;
}

const SECTION_HEAD = /^\[([^:\]\s]+)(?::(\w+))?\]\s*(?:#.*)?$/;
const GROUP_NAME = /^([^:\]\s]+)\s*(?:#.*)?$/;

export function readAnsibleIni(content: string, findings: Findings): ImportedHost[] {
  const reader = new IniReader(findings);
  for (const line of contentLines(content, '#;', findings)) reader.read(line);
  return reader.hosts();
}

class IniReader {
  readonly #inventory: AnsibleInventory;
  readonly #findings: Findings;
  /** Groups that have their own section. Other groups are only mentioned. */
  readonly #declared = new Set<string>(['all', UNGROUPED]);
  readonly #spokenOf = new Map<string, number>();
  #section: Section;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.#inventory = new AnsibleInventory(findings);
    this.#section = { kind: 'hosts', group: this.#inventory.tree.add(UNGROUPED, null) };
  }

  read(line: TextLine): void {
    const head = SECTION_HEAD.exec(line.text);
    if (head) this.#open(head[1] ?? '', head[2], line.number);
    else if (isBracketed(line.text)) this.#badHead(line.number);
    else if (this.#section.group) this.#content(line, this.#section.kind, this.#section.group);
  }

  hosts(): ImportedHost[] {
    for (const [name, line] of this.#spokenOf) {
      if (this.#declared.has(name)) continue;
      const printedName = printableName(name);
      const message = `No section declares the group "${printedName}". Add [${printedName}] or [${printedName}:children].`;
      this.#findings.fault(line, name, 'unknown_group', message);
    }
    return ansibleHosts(this.#inventory);
  }

  #badHead(line: number): void {
    const message = 'A section header must be [group], [group:vars] or [group:children], without spaces.';
    this.#findings.fault(line, null, 'bad_section', message);
    this.#section = { kind: 'hosts', group: null };
  }

  #open(name: string, kind: string = 'hosts', line: number): void {
    if (kind !== 'hosts' && kind !== 'vars' && kind !== 'children') return this.#badHead(line);
    if (kind === 'vars') this.#speakOf(name, line);
    else this.#declared.add(name);
    this.#section = { kind, group: this.#inventory.group(name, line) };
  }

  #speakOf(name: string, line: number): void {
    if (!this.#spokenOf.has(name)) this.#spokenOf.set(name, line);
  }

  #content(line: TextLine, kind: SectionKind, group: Group): void {
    if (kind === 'hosts') this.#hostLine(line, group);
    else if (kind === 'vars') this.#variableLine(line, group);
    else this.#childLine(line, group);
  }

  /** Reads a line that names a host. Messages repeat only the name: a misread word may be part of a password. */
  #hostLine({ number, text }: TextLine, group: Group): void {
    const [pattern, ...words] = shellWords(text, { comments: true }) ?? [];
    if (pattern === undefined) {
      const message = 'This line has an unclosed quote, or ends with a backslash.';
      return this.#findings.fault(number, null, 'unclosed_quote', message);
    }
    if (pattern === '---') {
      this.#findings.refuse(number, null, 'wrong_format', 'This is YAML. Choose the format Ansible YAML.');
    }
    const settings: Settings = new Map();
    for (const word of words) {
      const sign = word.indexOf('=');
      if (sign < 0) {
        const message =
          'After the name, a host line can contain only name=value, without spaces around "=". Put quotes around a value with spaces.';
        return this.#findings.fault(number, pattern, 'bad_variable', message);
      }
      const value = readPythonLiteral(word.slice(sign + 1));
      addSetting(settings, word.slice(0, sign), value, { line: number, entry: pattern }, this.#findings);
    }
    this.#inventory.addPattern(pattern, group, number, settings);
  }

  #variableLine({ number, text }: TextLine, group: Group): void {
    const sign = text.indexOf('=');
    if (sign < 0) {
      const message = 'A line of a :vars section must be name=value.';
      return this.#findings.fault(number, group.name, 'bad_variable', message);
    }
    const value = readPythonLiteral(text.slice(sign + 1).trim());
    this.#inventory.setGroupVariable(group, text.slice(0, sign).trim(), value, number);
  }

  #childLine({ number, text }: TextLine, group: Group): void {
    const name = GROUP_NAME.exec(text)?.[1];
    if (name === undefined) {
      const message = 'A line of a :children section must be the name of one group.';
      return this.#findings.fault(number, group.name, 'bad_group', message);
    }
    this.#speakOf(name, number);
    const child = this.#inventory.group(name, number);
    if (child) this.#inventory.tree.addChild(group, child, number);
  }
}

const isBracketed = (text: string) => text.startsWith('[') && text.endsWith(']') && !isIPv6(text.slice(1, -1));
