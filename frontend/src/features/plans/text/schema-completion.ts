import type { EditorState } from '@codemirror/state';
import { fieldsOf, nameOf, rootOf, type SyntaxNode, tokenBefore } from './yaml-tree';

export interface Proposal {
  label: string;
  detail: string;
  info: string;
  apply: string;
}

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  enum?: (string | number | boolean | null)[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** Returns completions for the word that ends at `position`. */
export function proposalsAt(schema: object, state: EditorState, position: number): Proposal[] {
  const root = schema as Schema;
  const word = /[\w-]*$/.exec(state.sliceDoc(state.doc.lineAt(position).from, position))?.[0] ?? '';
  const start = position - word.length;
  const gap = gapAt(state, start, position);
  if (!gap) return [];
  const around = schemaOf(root, state, gap.node);
  const needsDash = !gap.scalar && around?.items !== undefined;
  const expected = needsDash || gap.node.name === 'FlowSequence' ? resolved(root, around?.items) : around;
  const dash = needsDash ? '- ' : '';
  const fields = gap.scalar ? [] : Object.entries(expected?.properties ?? {});
  const present = fieldsOf(state, gap.node);
  return [
    ...fields
      .filter(([name]) => !present.has(name) || present.get(name)?.from === start)
      .map(([name, field]) => {
        const target = resolved(root, field);
        return {
          label: name,
          detail: typeOf(target),
          info: field.description ?? target?.description ?? '',
          apply: `${dash}${name}:${target?.properties || target?.items?.$ref ? '' : ' '}`,
        };
      }),
    ...valuesOf(expected).map((value) => ({ ...value, apply: `${dash}${value.apply}` })),
  ];
}

/** A part of the text that a word can be added to. */
interface Gap {
  /** Map, list, field, item or document that receives the word. */
  node: SyntaxNode;
  /** Whether a field does not fit, such as after `name:` on the same line. */
  scalar: boolean;
}

/** Returns where a word at `from` belongs; null: it is in a text or a comment, or nothing fits. */
function gapAt(state: EditorState, from: number, to: number): Gap | null {
  const root = rootOf(state);
  const around = root.resolveInner(to, -1);
  if (from < to ? around.name !== 'Literal' || around.from !== from : isText(around, to)) return null;
  const token = tokenBefore(state, from);
  if (!token?.parent || token.name === 'DirectiveEnd')
    return { node: token?.parent ?? root.getChild('Document') ?? root, scalar: false };
  const opened = token.name === '-' ? token.nextSibling : token.name === ':' ? token.parent : null;
  const line = state.doc.lineAt(from);
  const flow = isInFlow(token, from);
  if (flow && /^[{[,]$/.test(token.name)) return { node: token.parent, scalar: token.parent.name === 'FlowSequence' };
  if (flow || token.from >= line.from)
    return opened && token.to < from ? { node: opened, scalar: token.name === ':' } : null;
  // The tree ends at its last token, so the column of a new line decides what it continues.
  const column = from - line.from;
  if (opened && columnOf(state, token.name === '-' ? token : opened) < column) return { node: opened, scalar: false };
  let list: SyntaxNode | null = null;
  for (let node: SyntaxNode | null = token; node; node = node.parent) {
    if (!node.name.startsWith('Block') || columnOf(state, node.firstChild) !== column) continue;
    if (node.name === 'BlockMapping') return { node, scalar: false };
    if (node.name === 'BlockSequence') list = node;
  }
  return list && { node: list, scalar: false };
}

/** Returns whether a position is in a comment or a text, and not only at the end of a text. */
const isText = ({ name, to }: SyntaxNode, position: number): boolean =>
  name === 'Comment' || (name.includes('Literal') && to > position);

const columnOf = (state: EditorState, node: SyntaxNode | null): number =>
  node ? node.from - state.doc.lineAt(node.from).from : 0;

/** Returns whether a node is in braces or brackets that are open at a position. */
function isInFlow(node: SyntaxNode | null, position: number): boolean {
  if (!node) return false;
  const isClosed = node.to <= position && /[}\]]/.test(node.lastChild?.name ?? '');
  return (node.name.startsWith('Flow') && !isClosed) || isInFlow(node.parent, position);
}

/** Returns the schema of the content of a node. */
function schemaOf(root: Schema, state: EditorState, node: SyntaxNode): Schema | undefined {
  if (!node.parent) return root;
  // The parser takes unfinished braces in a list for the key of a further map.
  if (node.name === 'Key') return node.parent.parent ? schemaOf(root, state, node.parent.parent) : undefined;
  const outer = schemaOf(root, state, node.parent);
  if (node.name === 'Pair') return resolved(root, outer?.properties?.[nameOf(state, node)]);
  return node.name === 'Item' ? resolved(root, outer?.items) : outer;
}

function resolved(root: Schema, schema: Schema | undefined): Schema | undefined {
  if (schema?.$ref) return resolved(root, root.$defs?.[schema.$ref.replace('#/$defs/', '')]);
  const branch = schema?.anyOf?.find((each) => each.$ref);
  return branch ? resolved(root, branch) : schema;
}

function valuesOf(schema: Schema | undefined): Proposal[] {
  const words = schema?.enum ?? (typesOf(schema).includes('boolean') ? ['true', 'false'] : []);
  return words
    .filter((word) => word !== null)
    .map((word) => ({ label: String(word), detail: '', info: schema?.description ?? '', apply: String(word) }));
}

const typesOf = (schema: Schema | undefined): string[] => [schema?.type ?? []].flat();

function typeOf(schema: Schema | undefined): string {
  const words: Record<string, string> = { string: 'text', integer: 'number', boolean: 'true or false', array: 'list' };
  const [type = ''] = typesOf(schema).filter((each) => each !== 'null');
  return schema?.enum ? 'one of a list of values' : (words[type] ?? '');
}
