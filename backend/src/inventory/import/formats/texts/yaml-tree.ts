import { Composer, Lexer, LineCounter, type ParsedNode, Parser, type YAMLError } from 'yaml';
import type { Findings } from './findings.ts';
import { MOST_DEPTH, MOST_YAML_LINES, MOST_YAML_PIECES } from './limits.ts';
import { boundLines, plainText, splitLines } from './text-lines.ts';
import type { TreeNode } from './text-tree.ts';
import { YamlNodes } from './yaml-nodes.ts';

type Token = Parameters<Composer['next']>[0];

/** Messages of the library repeat pieces of the text, which may be secrets; these do not. */
const HINTS: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'This alias (*name) is not written rightly.',
  BAD_INDENT: 'This line is not indented as those around it; entries of one level begin in the same column.',
  BAD_SCALAR_START: 'A value can not begin with this character; put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'A line holds one "name: value"; put a value with ": " in it in quotes.',
  BLOCK_IN_FLOW: 'Inside { } and [ ], entries have commas between them and are not indented.',
  MISSING_CHAR: 'Something is missing before this: a comma, a closing quote, or a space behind ":" or "-".',
  MULTILINE_IMPLICIT_KEY: 'A name must stand on one line, with ":" behind it.',
  TAB_AS_INDENT: 'YAML is indented with spaces, not with tabs.',
  UNEXPECTED_TOKEN: 'This does not belong here. Values with : # { } [ ] , & * ! | > % @ in them are put in quotes.',
};

/** Reads YAML into a tree with lines; null: the text is empty. A text that is no YAML is refused. */
export function readYamlTree(content: string, findings: Findings): TreeNode | null {
  const text = plainText(content, findings);
  const written = splitLines(text);
  boundLines(written, findings);
  if (written.length > MOST_YAML_LINES) refuseSize(findings);
  const lines = new LineCounter();
  // What values stand for is decided by the tree, as PyYAML does; the library's own schemas differ from it.
  const composer = new Composer({ schema: 'failsafe', version: '1.1', uniqueKeys: false, prettyErrors: false });
  let contents: ParsedNode | null = null;
  let documents = 0;
  const lineOf = (offset: number) => Math.max(1, lines.linePos(offset).line);
  for (const document of composer.compose(boundedTokens(text, lines, findings), false, text.length)) {
    const [error] = document.errors;
    if (error) refuseSyntax(lineOf(error.pos[0]), error.code, findings);
    documents += 1;
    if (documents > 1) {
      const message = 'The text holds several YAML documents, with "---" between them. Import each by itself.';
      findings.refuse(
        document.contents ? lineOf(document.contents.range[0]) : null,
        null,
        'several_documents',
        message,
      );
    }
    contents = document.contents;
  }
  return contents && new YamlNodes(lineOf, findings).read(contents);
}

/**
 * What the library makes of the text at first, with bounds on the way: the second step, which builds nodes, calls itself
 * for each level.
 */
function* boundedTokens(text: string, lines: LineCounter, findings: Findings): Generator<Token> {
  const parser = new Parser(lines.addNewLine);
  let pieces = 0;
  lines.addNewLine(0);
  for (const piece of new Lexer().lex(text)) {
    pieces += 1;
    if (pieces > MOST_YAML_PIECES) refuseSize(findings);
    for (const token of parser.next(piece)) {
      // The library would gather an error with its stack trace for each.
      if (token.type === 'error') refuseSyntax(lines.linePos(token.offset).line, 'UNEXPECTED_TOKEN', findings);
      yield token;
    }
    // One level for the document, one for a value, and two for a list that is the value of a name.
    if (parser.stack.length > 2 * MOST_DEPTH) refuseDepth(lines.linePos(parser.offset).line, findings);
  }
  yield* parser.end();
}

function refuseSyntax(line: number, code: YAMLError['code'], findings: Findings): never {
  return findings.refuse(Math.max(1, line), null, 'invalid_yaml', HINTS[code] ?? 'This is not valid YAML.');
}

function refuseSize(findings: Findings): never {
  const message = 'The YAML text is too long to be read at once. Import it in several parts, or as JSON.';
  return findings.refuse(null, null, 'too_large', message);
}

function refuseDepth(line: number, findings: Findings): never {
  return findings.refuse(line, null, 'too_deep', `Nest maps and lists at most ${MOST_DEPTH} levels deep.`);
}
