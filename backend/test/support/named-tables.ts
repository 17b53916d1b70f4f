import ts from 'typescript';

export interface NamedTable {
  table: string;
  /** From 1. */
  line: number;
}

const PLACEHOLDER = '\u0001';
const STATEMENT =
  /\bselect\b.*\bfrom\b|\binsert\s+into\b|\bmerge\s+into\b|\bupdate\b.*\bset\b|\bdelete\s+from\b|\bexists\s*\(/is;
/** Words before a table name in SQL, also when the table is not the first of a list. */
const BEFORE =
  String.raw`\b(?:from|join|into|update|table|only|truncate|lock|using|copy|references|analyze|vacuum)\s*[("]*\s*` +
  String.raw`(?:[\w."]+(?:\s+(?:as\s+)?\w+)?\s*,\s*"?)*`;
/** End of a sentence in prose. In SQL, neither a capital letter nor the end of the text follows a full stop. */
const SENTENCE = /[a-z0-9"”)]\.(?:\s+["“]?[A-Z]|\s*$)/;
const QUOTED = /'(?:[^']|'')*'/g;

/**
 * Returns tables that string and template literals of a file name. A name counts as a word of a statement, at the
 * position of a table in a part of a statement, or alone, because another literal may complete the statement. Ignores
 * comments, identifiers, types and prose.
 */
export function namedTables(source: string, tables: Iterable<string>): NamedTable[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const names = new Map([...tables].map((table) => [table, mentionFinder(table)]));
  const found = new Map<string, NamedTable>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    const text = textOf(node);
    if (text !== null) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      const sql = withoutComments(text);
      for (const [table, isNamedIn] of names) if (isNamedIn(sql)) found.set(`${line} ${table}`, { table, line });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...found.values()];
}

/** Returns the paths of entity modules that a file imports as values, not only as types. */
export function importedEntities(source: string): string[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const path = pathOf(node);
    if (path?.endsWith('.entity.js')) found.push(path);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function pathOf(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const { importClause } = node;
    const bindings = importClause?.namedBindings;
    const typesOnly =
      importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ||
      (importClause?.name === undefined &&
        bindings !== undefined &&
        ts.isNamedImports(bindings) &&
        bindings.elements.every(({ isTypeOnly }) => isTypeOnly));
    return typesOnly ? null : node.moduleSpecifier.text;
  }
  if (ts.isExportDeclaration(node) && !node.isTypeOnly && node.moduleSpecifier)
    return ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : null;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [path] = node.arguments;
    return path && ts.isStringLiteralLike(path) ? path.text : null;
  }
  return null;
}

/** Returns the text of a literal, a template, or a concatenation of these; null for other nodes. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => PLACEHOLDER + literal.text).join('');
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === null && right === null ? null : (left ?? PLACEHOLDER) + (right ?? PLACEHOLDER);
  }
  return null;
}

/** Blanks comments and JSON paths. Removes the schema name. */
const withoutComments = (text: string): string =>
  text
    .replace(/--[^\n]*|\/\*.*?\*\//gs, ' ')
    .replace(/'\{[^']*\}'/g, ' ')
    .replace(/"?\bpublic\b"?\s*\.\s*/gi, '');

/** Returns a predicate that tests whether a text names the table. */
function mentionFinder(table: string): (text: string) => boolean {
  // With an alias, unless both words could be part of a title.
  const alias = String.raw`\s+(?:as\s+)?\w+`;
  const alone = new RegExp(
    String.raw`^[\s,]*"?${table}"?(?:\s+as\s+\w+|\s+\w{1,3})?[\s,]*$|^\s*,\s*"?${table}"?${alias}\s*$|^\s*"?${table}"?${alias}\s*,`,
    'i',
  );
  // Matches neither a column (`x.name`) nor an alias (`as name`).
  const word = new RegExp(String.raw`(?<!\w|\.\s*"?|\bas\s+"?)${table}(?!\w)`, 'i');
  const placed = new RegExp(String.raw`${BEFORE}${table}(?!\w)`, 'i');
  const joined = new RegExp(
    String.raw`(?<![\w.])"?${table}"?(?:\s+(?:as\s+)?\w+)?\s+(?:on|where|set|join)\b.*[=(]`,
    'is',
  );
  return (text) => {
    if (alone.test(text)) return true;
    if (!word.test(text) || SENTENCE.test(text.replace(QUOTED, ''))) return false;
    return STATEMENT.test(text) || placed.test(text) || joined.test(text);
  };
}
