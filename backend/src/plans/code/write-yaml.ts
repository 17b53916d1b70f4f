import {
  Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { YamlTree, TextToWrite } from './plan-text.ts';
import { readYaml } from './read-yaml.ts';

type Fields = { [name: string]: YamlTree };

/** Quotes values that YAML 1.1 readers would interpret differently. */
const YAML_SCHEMA_OPTIONS = { version: '1.2', schema: 'core', compat: 'yaml-1.1' } as const;
/** Never wraps lines, because line breaks in the text are line breaks of the value. */
const YAML_STYLE = { lineWidth: 0, flowCollectionPadding: false } as const;
/** Longest list of plain values that is written on one line. */
const MAX_SHORT_LIST_ITEMS = 8;
const MAX_SHORT_TEXT_LENGTH = 24;

/**
 * Writes the text of a plan. With an earlier text, changes only what differs, so that comments, order and style are
 * kept.
 */
export function writeYaml({ sparse: target, full, synonyms, base }: TextToWrite): string {
  const merged = base === null ? null : mergeText(base, { sparse: target, full, synonyms });
  return merged ?? toNewText(target);
}

function toNewText(target: YamlTree): string {
  const document = new Document(target, YAML_SCHEMA_OPTIONS);
  addBlankLines(document);
  const text = document.toString(YAML_STYLE);
  if (hasSameContent(text, target)) return text;
  // Blocks cannot represent some characters exactly, such as a line separator. Quotes have escapes for them.
  visit(document, { Scalar: (_, node) => void (typeof node.value === 'string' && (node.type = 'QUOTE_DOUBLE')) });
  const quoted = document.toString(YAML_STYLE);
  return hasSameContent(quoted, target) ? quoted : `${JSON.stringify(target, null, 2)}\n`;
}

const hasSameContent = (text: string, target: YamlTree): boolean => {
  const { value, faults } = readYaml(text, 'plan');
  return faults.length === 0 && isSameTree(value, target);
};

/** Writes long texts as blocks and short lists on one line. Adds a blank line before each step and each group. */
function addBlankLines(document: Document): void {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string') styleText(node);
    },
    Seq(_, node) {
      const plain = node.items.every((item) => isScalar(item) && isShort(item.value));
      if (plain && node.items.length <= MAX_SHORT_LIST_ITEMS) node.flow = true;
    },
    Map(_, node) {
      if (node.items.length === 0) node.flow = true;
    },
  });
  const { contents } = document;
  if (!isMap(contents)) return;
  for (const pair of contents.items as Pair<Scalar<string>, Node>[]) {
    if (!isSeq(pair.value) || pair.value.flow) continue;
    pair.key.spaceBefore = true;
    if (pair.key.value === 'steps') pair.value.items.slice(1).forEach((item) => addSpaceBefore(item as Node));
  }
}

const addSpaceBefore = (node: Node): void => void (node.spaceBefore = true);

const isShort = (value: unknown): boolean =>
  typeof value !== 'string' || (value.length <= MAX_SHORT_TEXT_LENGTH && !value.includes('\n'));

function styleText(node: Scalar): void {
  const value = node.value as string;
  if (!value.includes('\n')) return;
  // A text that a block would not represent exactly is quoted.
  node.type = /[\p{Cc}\p{Zl}\p{Zp}\ufeff]/u.test(value.replace(/[\n\t]/g, '')) ? 'QUOTE_DOUBLE' : 'BLOCK_LITERAL';
}

interface MergeTarget {
  sparse: YamlTree;
  full: YamlTree;
  synonyms: TextToWrite['synonyms'];
}

/** Returns the earlier text with the changes; null: it cannot be kept. */
function mergeText(base: string, target: MergeTarget): string | null {
  const read = readYaml(base, 'plan');
  if (read.faults.length > 0 || !isFields(read.value) || !isFields(target.sparse) || !isFields(target.full))
    return null;
  const document = parseDocument(base, { ...YAML_SCHEMA_OPTIONS, prettyErrors: false, uniqueKeys: false });
  if (!isMap(document.contents)) return null;
  const expected = new DocumentMerge(document, target.synonyms).mergeMap(
    document.contents,
    read.value,
    target.sparse,
    target.full,
  );
  if (isSameTree(expected, read.value)) return base;
  const text = document.toString({ ...YAML_STYLE, flowCollectionPadding: true });
  return hasSameContent(text, expected) ? text : null;
}

/** Applies differences to a document, and returns the values that the document then contains. */
class DocumentMerge {
  readonly #document: Document;
  readonly #synonyms: TextToWrite['synonyms'];

  constructor(document: Document, synonyms: TextToWrite['synonyms']) {
    this.#document = document;
    this.#synonyms = synonyms;
  }

  mergeMap(node: YAMLMap, current: Fields, sparse: Fields, full: Fields): Fields {
    const result: Fields = {};
    const keptKeys = new Set<string>();
    for (const [name, value] of Object.entries(current)) {
      const target = Object.hasOwn(sparse, name) ? sparse[name] : undefined;
      if (target === undefined) {
        // An explicit default may stay.
        if (Object.hasOwn(full, name) && areEqual(value, full[name] as YamlTree)) {
          result[name] = value;
          keptKeys.add(name);
        } else node.delete(name);
        continue;
      }
      result[name] = this.#value(node, name, { value, target, full: full[name] ?? target });
      keptKeys.add(name);
    }
    for (const [name, value] of Object.entries(sparse)) {
      if (keptKeys.has(name) || this.#synonymsOf(name).some((other) => keptKeys.has(other))) continue;
      node.set(name, this.#fresh(value));
      result[name] = value;
    }
    return result;
  }

  #value(
    node: YAMLMap,
    name: string,
    { value, target, full }: { value: YamlTree; target: YamlTree; full: YamlTree },
  ): YamlTree {
    if (areEqual(value, target)) return value;
    const inner = node.get(name, true) as Node | undefined;
    if (isMap(inner) && isFields(value) && isFields(target) && isFields(full))
      return this.mergeMap(inner, value, target, full);
    if (isSeq(inner) && Array.isArray(value) && Array.isArray(target) && Array.isArray(full) && target.every(isFields))
      return this.#list(inner, value, target, full as Fields[]);
    node.set(name, this.#withComments(inner, target));
    return target;
  }

  /** Matches items by key or name. Each item keeps its own text, in the new order. */
  #list(node: YAMLSeq, current: readonly YamlTree[], target: readonly YamlTree[], full: readonly Fields[]): YamlTree[] {
    const old = new Map(current.map((item, index) => [findItemIdentity(item), { item, node: node.items[index] }]));
    const result: YamlTree[] = [];
    node.items = target.map((item, index) => {
      const known = old.get(findItemIdentity(item));
      if (known && isMap(known.node) && isFields(known.item)) {
        result.push(this.mergeMap(known.node, known.item, item as Fields, full[index] ?? (item as Fields)));
        return known.node;
      }
      result.push(item);
      const fresh = this.#fresh(item);
      if (index > 0) addSpaceBefore(fresh);
      return fresh;
    });
    return result;
  }

  #withComments(old: Node | undefined, value: YamlTree): Node {
    const fresh = this.#fresh(value);
    if (!old) return fresh;
    if (old.comment) fresh.comment = old.comment;
    if (old.commentBefore) fresh.commentBefore = old.commentBefore;
    return fresh;
  }

  #fresh(value: YamlTree): Node {
    const node = this.#document.createNode(value) as Node;
    const holder = new Document(null, YAML_SCHEMA_OPTIONS);
    holder.contents = node;
    addBlankLines(holder);
    return node;
  }

  #synonymsOf(name: string): string[] {
    return this.#synonyms.flatMap(([one, other]) => (one === name ? [other] : other === name ? [one] : []));
  }
}

/** Whether both values mean the same in a plan. */
function areEqual(current: YamlTree, intended: YamlTree): boolean {
  if (isSameTree(current, intended)) return true;
  if (current === null) return intended === '';
  if (typeof current === 'boolean') return current ? intended === 'root' : intended === null;
  return typeof current !== 'object' && typeof intended !== 'object' && String(current) === String(intended);
}

const findItemIdentity = (item: YamlTree): YamlTree | undefined =>
  isFields(item) ? (item.key ?? item.name) : undefined;

const isFields = (value: YamlTree | undefined): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Deep equality that ignores the order of names. */
export function isSameTree(one: YamlTree, other: YamlTree): boolean {
  if (one === other) return true;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSameTree(item, other[index] as YamlTree))
    );
  if (!isFields(one) || !isFields(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameTree(one[name] as YamlTree, other[name] as YamlTree))
  );
}
