import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type Pair } from 'yaml';
import { type Findings, toPrintableName } from './findings.ts';
import { createRepeatedNameRule } from './json-tree.ts';
import { MAX_TREE_DEPTH, MAX_TREE_NODES } from './limits.ts';
import type { TreeField, TreeNode } from './text-tree.ts';
import { parsePlainScalar } from './yaml-scalars.ts';

type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

const CORE_TAG_PREFIX = 'tag:yaml.org,2002:';

/**
 * Converts nodes of the YAML library into a tree. Aliases share the node that they refer to, so they cost no memory.
 */
export class YamlNodeReader {
  readonly #lineOf: (offset: number) => number;
  readonly #findings: Findings;
  readonly #anchors = new Map<string, TreeNode>();
  /** Number of nodes and levels below each node, with aliases expanded. */
  readonly #sizes = new WeakMap<TreeNode, { nodes: number; levels: number }>();
  #merged = 0;

  constructor(lineOf: (offset: number) => number, findings: Findings) {
    this.#lineOf = lineOf;
    this.#findings = findings;
  }

  readNode(node: ParsedNode, depth = 0): TreeNode {
    const line = this.#lineOf(node.range[0]);
    if (depth > MAX_TREE_DEPTH) this.#refuseDepth(line);
    if (isAlias(node)) return this.#readAlias(node.source, line);
    const read = this.#readUnaliased(node, line, depth);
    if (node.anchor) this.#anchors.set(node.anchor, read);
    return read;
  }

  #readUnaliased(node: Exclude<ParsedNode, { type: 'ALIAS' }>, line: number, depth: number): TreeNode {
    if (isScalar(node)) {
      if (!isPlainTag(node.tag, ['str', 'int', 'float', 'bool', 'null', 'timestamp'])) {
        return this.#measureNode({ kind: 'tagged', line, tag: toPrintableTag(node.tag) }, []);
      }
      const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
      const plain = node.type === 'PLAIN' && (node.tag === undefined || !node.tag.endsWith(':str')) && node.tag !== '!';
      if (text.includes('\0')) this.#refuseNul(line);
      return this.#measureNode({ kind: 'scalar', line, value: plain ? parsePlainScalar(text) : text }, []);
    }
    if (isSeq(node) && isPlainTag(node.tag, ['seq'])) {
      const items = node.items.map((item) => this.readNode(item, depth + 1));
      return this.#measureNode({ kind: 'list', line, items }, items);
    }
    if (isMap(node) && isPlainTag(node.tag, ['map'])) return this.#map(node.items, line, depth);
    return this.#measureNode({ kind: 'tagged', line, tag: toPrintableTag(node.tag) }, []);
  }

  #map(pairs: readonly ParsedPair[], line: number, depth: number): TreeNode {
    const fields = new Map<string, TreeField>();
    const mergedNodes: TreeNode[] = [];
    for (const { key, value } of pairs) {
      const keyLine = this.#lineOf(key.range[0]);
      const read = value
        ? this.readNode(value, depth + 1)
        : this.#measureNode({ kind: 'scalar', line: keyLine, value: null }, []);
      const name = this.#toFieldName(key, keyLine);
      if (name === '<<' && isScalar(key) && key.type === 'PLAIN') mergedNodes.push(read);
      else {
        if (fields.has(name)) createRepeatedNameRule(this.#findings)(name, keyLine);
        fields.set(name, { line: keyLine, value: read });
      }
    }
    for (const node of mergedNodes) this.#mergeFields(node, fields);
    return this.#measureNode(
      { kind: 'map', line, fields },
      [...fields.values()].map((field) => field.value),
    );
  }

  /** Merges `<<: *defaults` or `<<: [*one, *other]`. Fields of the map itself override merged fields. */
  #mergeFields(node: TreeNode, fields: Map<string, TreeField>): void {
    if (node.kind === 'list') return node.items.forEach((item) => this.#mergeFields(item, fields));
    if (node.kind !== 'map') {
      return this.#findings.recordFault(
        node.line,
        null,
        'invalid_yaml',
        '"<<:" must be followed by the alias of a map, or a list of such aliases.',
      );
    }
    this.#merged += node.fields.size;
    if (this.#merged > MAX_TREE_NODES) this.#refuseSize(node.line);
    for (const [name, field] of node.fields) if (!fields.has(name)) fields.set(name, field);
  }

  #toFieldName(key: ParsedNode, line: number): string {
    const read = isAlias(key) ? this.#readAlias(key.source, line) : null;
    if (read?.kind === 'scalar') return String(read.value);
    if (!isScalar(key)) {
      return this.#findings.refuse(
        line,
        null,
        'invalid_yaml',
        'A name must be a text; put a template or a list in quotes.',
      );
    }
    const name = typeof key.value === 'string' ? key.value : (key.source ?? '');
    if (name.includes('\0')) this.#refuseNul(line);
    if (key.anchor) this.#anchors.set(key.anchor, { kind: 'scalar', line, value: name });
    return name;
  }

  #readAlias(name: string, line: number): TreeNode {
    const node = this.#anchors.get(name);
    if (node) return node;
    const message = `Nothing before this line has the anchor "&${toPrintableName(name)}".`;
    return this.#findings.refuse(line, null, 'invalid_yaml', message);
  }

  #measureNode<T extends TreeNode>(node: T, inner: readonly TreeNode[]): T {
    let nodes = 1;
    let levels = 0;
    for (const part of inner) {
      const size = this.#sizes.get(part);
      nodes += size?.nodes ?? 1;
      levels = Math.max(levels, size?.levels ?? 0);
    }
    if (nodes > MAX_TREE_NODES) this.#refuseSize(node.line);
    if (levels >= MAX_TREE_DEPTH) this.#refuseDepth(node.line);
    this.#sizes.set(node, { nodes, levels: levels + 1 });
    return node;
  }

  #refuseSize(line: number): never {
    const message = 'Expanding all aliases (*name) would make the text too large. Use fewer aliases.';
    return this.#findings.refuse(line, null, 'too_many_aliases', message);
  }

  #refuseDepth(line: number): never {
    return this.#findings.refuse(line, null, 'too_deep', `Nest maps and lists at most ${MAX_TREE_DEPTH} levels deep.`);
  }

  #refuseNul(line: number): never {
    return this.#findings.refuse(line, null, 'forbidden_character', 'A value contains a NUL character. Remove it.');
  }
}

function isPlainTag(tag: string | undefined, names: readonly string[]): boolean {
  return (
    tag === undefined ||
    tag === '!' ||
    (tag.startsWith(CORE_TAG_PREFIX) && names.includes(tag.slice(CORE_TAG_PREFIX.length)))
  );
}

const toPrintableTag = (tag: string | undefined) => toPrintableName((tag ?? '!').replace(CORE_TAG_PREFIX, '!!'));
