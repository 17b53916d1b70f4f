import type { EditorState } from '@codemirror/state';
import type { Names } from '../names/names';
import { fieldsOf, itemsOf, nameOf, rootOf, scalarOf, type SyntaxNode, tokenBefore } from './yaml-tree';

/** Returns the names that can be used at a position of a plan's text. */
export function namesInYaml(state: EditorState, position: number): Names {
  const open = openValueAt(state, position);
  if (open) return namesInYaml(state.update({ changes: open }).state, open.from);
  const plan = fieldsOf(state, rootOf(state).getChild('Document'));
  const variables = itemsOf(plan.get('variables')).map((item) => {
    const fields = fieldsOf(state, item);
    return { name: scalarOf(state, fields.get('name')), type: scalarOf(state, fields.get('type')) || 'string' };
  });
  const items = itemsOf(plan.get('steps'));
  const steps = items.map((item) => {
    const fields = fieldsOf(state, item);
    const outputs = [fields.get('outputs'), fields.get('outputsFrom')].flatMap((field) => outputsOf(state, field));
    return { key: scalarOf(state, fields.get('key')), outputs, repeats: fields.has('forEach') };
  });
  const index = items.findLastIndex((item) => item.from <= position);
  return {
    variables: variables
      .filter(({ name }) => name !== '')
      .map(({ name, type }) => ({ name, detail: type, secret: type === 'secret' })),
    earlier: steps.slice(0, Math.max(0, index)),
    later: steps.slice(Math.max(0, index)).map(({ key }) => key),
    item: steps[index]?.repeats ?? false,
  };
}

/**
 * Returns a quoted text or braces that begin in the line of a position and do not end there; null: none. While the
 * user types them, they hide the fields that follow.
 */
function openValueAt(state: EditorState, position: number): { from: number; to: number } | null {
  const line = state.doc.lineAt(position);
  let from: number | null = null;
  for (let node = tokenBefore(state, position); node && node.from >= line.from; node = node.parent)
    if (/^(?:Quoted|Flow)/.test(node.name) && node.to > line.to) from = node.from;
  return from === null ? null : { from, to: line.to };
}

/** Returns the names of a list or a map of outputs. */
const outputsOf = (state: EditorState, field: SyntaxNode | undefined): string[] =>
  [...itemsOf(field).map((item) => scalarOf(state, item)), ...fieldsOf(state, field).keys()].filter(Boolean);

/** Returns the start of the condition around a position, after its quote; null: none. */
export function conditionStart(state: EditorState, position: number): number | null {
  const token = tokenBefore(state, position);
  if (!token || token.to < state.doc.lineAt(position).from) return null;
  const pair = token.name === 'BlockLiteralContent' ? token.parent?.parent : token.parent;
  if (pair?.name !== 'Pair' || nameOf(state, pair) !== 'when') return null;
  if (rootOf(state).resolveInner(position, -1).name === 'Comment') return null;
  if (token.name === ':') return token.to < position ? position : null;
  return token.name === 'QuotedLiteral' ? token.from + 1 : token.from;
}
