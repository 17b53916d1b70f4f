import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

export type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

const PARSE_MS = 100;

/** Returns the root of the syntax tree. A text that takes long to parse gives the tree of its first part. */
export const rootOf = (state: EditorState): SyntaxNode =>
  (ensureSyntaxTree(state, state.doc.length, PARSE_MS) ?? syntaxTree(state)).topNode;

/** Returns the last token before a position, without spaces and comments; null: none. */
export function tokenBefore(state: EditorState, position: number): SyntaxNode | null {
  const end = state.sliceDoc(0, position).trimEnd().length;
  if (end === 0) return null;
  const token = rootOf(state).resolveInner(end, -1);
  return token.name === 'Comment' ? tokenBefore(state, token.from) : token;
}

const CONTENT = /(?:Mapping|Sequence|Literal)$/;

/** Returns the map, list or scalar that a field, an item or the document consists of. */
function contentOf(holder: SyntaxNode | null | undefined): SyntaxNode | null {
  if (!holder || CONTENT.test(holder.name)) return holder ?? null;
  for (let node = holder.lastChild; node; node = node.prevSibling)
    if (CONTENT.test(node.name) || /^(?:Tagged|Anchored)$/.test(node.name)) return contentOf(node);
  return null;
}

/** Returns the fields of the map in a holder by name. */
export function fieldsOf(state: EditorState, holder: SyntaxNode | null | undefined): Map<string, SyntaxNode> {
  const pairs = contentOf(holder)?.getChildren('Pair') ?? [];
  return new Map(pairs.map((pair) => [nameOf(state, pair), pair]));
}

export const itemsOf = (holder: SyntaxNode | null | undefined): SyntaxNode[] =>
  contentOf(holder)?.getChildren('Item') ?? [];

export const nameOf = (state: EditorState, pair: SyntaxNode): string => scalarOf(state, pair.getChild('Key'));

/** Returns the text of a key, or of a scalar value; empty if there is none. */
export function scalarOf(state: EditorState, holder: SyntaxNode | null | undefined): string {
  const content = contentOf(holder);
  if (content?.name !== 'Literal' && content?.name !== 'QuotedLiteral') return '';
  const text = state.sliceDoc(content.from, content.to);
  return content.name === 'Literal' ? text : text.replace(/^["']|["']$/g, '');
}
