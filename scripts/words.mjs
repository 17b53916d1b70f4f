/**
 * Reports phrases that are hard to understand, in comments, texts, names and docs. `scripts/words.json` lists the
 * phrases and their replacements.
 *
 *   node scripts/words.mjs [path…]
 *   node scripts/words.mjs --commit FILE
 *
 * Without paths, it reads the files under `checked`. With `--commit`, it reads the subject of a commit.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { inRoot, root } from './lib/paths.mjs';

const { checked, ignored, phrases, names, allowed } = JSON.parse(readFileSync(inRoot('scripts/words.json'), 'utf8'));
const phraseRules = phrases.map(({ phrase, write }) => ({ pattern: new RegExp(`\\b(?:${phrase})\\b`, 'giu'), write }));
const exceptions = new RegExp(allowed.join('|'), 'giu');
const nameRules = names.map(({ name, write }) => ({
  pattern: new RegExp(`^(?:${name})(?![a-z])|(?<=[a-z0-9])(?:${name[0].toUpperCase()}${name.slice(1)})(?![a-z])`, 'u'),
  write,
}));

/** Replaces matches by blanks, so that the offsets of the other text stay. */
const blank = (text, pattern) => text.replace(pattern, (match) => match.replace(/\S/g, ' '));

/** Kinds of nodes that use a name declared elsewhere. */
const REFERENCE_KINDS = new Set([
  ts.SyntaxKind.PropertyAccessExpression,
  ts.SyntaxKind.ImportSpecifier,
  ts.SyntaxKind.ExportSpecifier,
  ts.SyntaxKind.MetaProperty,
]);

const isTest = (file) => /\.(?:spec|test|e2e)\.|^(?:backend\/test|e2e)\//.test(file);
const isTitle = (call) => /^(?:it|test|describe)(?:\.\w+)*$/.test(nameOf(call.expression));
const nameOf = (node) =>
  ts.isPropertyAccessExpression(node)
    ? `${nameOf(node.expression)}.${node.name.text}`
    : ts.isCallExpression(node)
      ? nameOf(node.expression)
      : (node.text ?? '');

/**
 * Returns what people read in a source file, with offsets: comments, strings, text of elements, and declared names. In
 * tests, only titles count among the strings, because other strings are data.
 */
function readSource(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false);
  const titles = new Set();
  const texts = new Map();
  const declared = [];
  const add = (pos, end) => texts.set(pos, { offset: pos, text: source.slice(pos, end) });
  const visit = (node) => {
    for (const range of ts.getLeadingCommentRanges(source, node.pos) ?? []) add(range.pos, range.end);
    for (const range of ts.getTrailingCommentRanges(source, node.end) ?? []) add(range.pos, range.end);
    if (ts.isCallExpression(node) && isTitle(node)) titles.add(node.arguments[0]);
    if (
      (!isTest(file) || titles.has(node)) &&
      (ts.isStringLiteralLike(node) ||
        ts.isTemplateHead(node) ||
        ts.isTemplateMiddleOrTemplateTail(node) ||
        ts.isJsxText(node))
    )
      add(node.pos, node.end);
    if (node.name !== undefined && ts.isIdentifier(node.name) && !REFERENCE_KINDS.has(node.kind)) {
      const start = ts.skipTrivia(source, node.name.pos);
      declared.push({ offset: start, text: source.slice(start, node.name.end) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { texts: [...texts.values()], declared };
}

function readMarkdown(source) {
  const text = [/^```[\s\S]*?^```/gm, /`[^`\n]*`/g, /\]\([^)\n]*\)/g, /https?:\/\/\S+/g].reduce(blank, source);
  return { texts: [{ offset: 0, text }], declared: [] };
}

function* faultsOf({ texts, declared }) {
  for (const { offset, text } of texts) {
    const rest = blank(text, exceptions);
    for (const { pattern, write } of phraseRules)
      for (const match of rest.matchAll(pattern)) yield { offset: offset + match.index, found: match[0], write };
  }
  for (const { offset, text } of declared)
    for (const { pattern, write } of nameRules) if (pattern.test(text)) yield { offset, found: text, write };
}

/** Reports faults in the subject of a commit. Ignores subjects that git generates (merge, revert, fixup). */
function* faultsOfSubject(subject) {
  if (/^(?:Merge|Revert|fixup!|squash!|amend!) /.test(subject)) return;
  if (!/^[a-z]+(?:\([a-z0-9-]+\))?!?: \S/.test(subject)) yield 'start with "type(scope): ", such as "fix(ssh): "';
  if (subject.length > 72) yield `at most 72 characters (got ${subject.length})`;
  for (const { found, write } of faultsOf({ texts: [{ offset: 0, text: subject }], declared: [] }))
    yield `"${found}": write ${write}`;
}

if (process.argv[2] === '--commit') {
  const [subject = ''] = readFileSync(process.argv[3], 'utf8').split('\n');
  const faults = [...faultsOfSubject(subject)];
  for (const fault of faults) console.error(`Commit subject: ${fault}.`);
  process.exit(faults.length > 0 ? 1 : 0);
}

const paths = process.argv.slice(2);
const files = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...(paths.length > 0 ? paths : checked)],
  {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  },
)
  .split('\0')
  .filter((file) => /\.(md|tsx?|mts|mjs|cjs)$/.test(file) && !ignored.some((start) => file.startsWith(start)));

let count = 0;
for (const file of files) {
  const source = readFileSync(inRoot(file), 'utf8');
  const faults = [...faultsOf(file.endsWith('.md') ? readMarkdown(source) : readSource(file, source))];
  for (const { offset, found, write } of faults.sort((a, b) => a.offset - b.offset)) {
    const line = source.slice(0, offset).split('\n').length;
    console.log(`${file}:${line}: "${found.replace(/\s+/g, ' ')}": write ${write}`);
  }
  count += faults.length;
}
if (count > 0) {
  console.log(`${count} phrases to replace in ${files.length} files. Rules: docs/writing.md.`);
  process.exitCode = 1;
}
