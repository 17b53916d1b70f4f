export type TreeNode = TreeMap | TreeList | TreeScalar | TaggedNode;

export interface TreeMap {
  readonly kind: 'map';
  readonly line: number;
  /** A `Map`, so that a name in the text can't reach an object prototype. */
  readonly fields: ReadonlyMap<string, TreeField>;
}

export interface TreeField {
  readonly line: number;
  readonly value: TreeNode;
}

export interface TreeList {
  readonly kind: 'list';
  readonly line: number;
  readonly items: readonly TreeNode[];
}

export interface TreeScalar {
  readonly kind: 'scalar';
  readonly line: number;
  readonly value: string | number | boolean | null;
}

export interface TaggedNode {
  readonly kind: 'tagged';
  readonly line: number;
  readonly tag: string;
}

export function describeNodeKind(node: TreeNode): string {
  if (node.kind === 'map') return 'an object';
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'tagged') return `a value with the tag ${node.tag}`;
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return 'a text';
  return typeof node.value === 'number' ? 'a number' : 'true or false';
}

export function getNodeText(node: TreeNode): string | null {
  return node.kind === 'scalar' && node.value !== null ? String(node.value) : null;
}
