import ts from 'typescript';

/** A place where a source file names a table. */
export interface NamedTable {
  table: string;
  /** From 1. */
  line: number;
}

/** Stands for what a template puts in. */
const HOLE = '\u0001';
const STATEMENT =
  /\bselect\b.*\bfrom\b|\binsert\s+into\b|\bmerge\s+into\b|\bupdate\b.*\bset\b|\bdelete\s+from\b|\bexists\s*\(/is;
/** What a table's name follows wherever it stands in a piece of SQL, be it further back in a list. */
const BEFORE =
  String.raw`\b(?:from|join|into|update|table|only|truncate|lock|using|copy|references|analyze|vacuum)\s*[("]*\s*` +
  String.raw`(?:[\w."]+(?:\s+(?:as\s+)?\w+)?\s*,\s*"?)*`;
/** A full stop that ends a sentence of prose: none of SQL is followed by a capital letter or by nothing. */
const SENTENCE = /[a-z0-9"”)]\.(?:\s+["“]?[A-Z]|\s*$)/;
const QUOTED = /'(?:[^']|'')*'/g;

/**
 * The tables that string literals and templates of a file name: as words of a statement, at a table's place in a piece of
 * one, or as nothing but a name, which a statement elsewhere may be put together with. Comments, identifiers, types and
 * prose don't count.
 */
export function namedTables(source: string, tables: Iterable<string>): NamedTable[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const names = new Map([...tables].map((table) => [table, finderOf(table)]));
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

/** Paths of the modules with entities that a file imports for more than their types. */
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

/** The path of a module that is imported or exported on here as a value. */
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

/** The text of a literal, of a template, or of several that are added to each other; null for anything else. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => HOLE + literal.text).join('');
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === null && right === null ? null : (left ?? HOLE) + (right ?? HOLE);
  }
  return null;
}

/** Blanks take the place of comments and of paths into JSON, and the schema's name of nothing. */
const withoutComments = (text: string): string =>
  text
    .replace(/--[^\n]*|\/\*.*?\*\//gs, ' ')
    .replace(/'\{[^']*\}'/g, ' ')
    .replace(/"?\bpublic\b"?\s*\.\s*/gi, '');

/** Tells whether a text names the table. */
function finderOf(table: string): (text: string) => boolean {
  // With an alias, unless both may as well be words of a title.
  const alias = String.raw`\s+(?:as\s+)?\w+`;
  const alone = new RegExp(
    String.raw`^[\s,]*"?${table}"?(?:\s+as\s+\w+|\s+\w{1,3})?[\s,]*$|^\s*,\s*"?${table}"?${alias}\s*$|^\s*"?${table}"?${alias}\s*,`,
    'i',
  );
  // Neither a column of something (`x.name`) nor what a column or relation is called here (`as name`).
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
