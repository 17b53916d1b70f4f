import { type Composer, Lexer, type LineCounter, Parser, type YAMLError } from 'yaml';

type YamlToken = Parameters<Composer['next']>[0];

export interface YamlBounds {
  /**
   * Maximum number of tokens: names, colons, white space and values. The library needs about 2 µs and 0.5 KiB per
   * token.
   */
  readonly pieces: number;
  readonly depth: number;
}

export interface YamlRefusals {
  syntax(offset: number, code: YAMLError['code']): never;
  size(): never;
  depth(offset: number): never;
}

/** Hints that replace messages of the library, because those repeat parts of the text, which may be secrets. */
const SYNTAX_HINTS: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'This alias (*name) is not valid.',
  BAD_DQ_ESCAPE: 'This character cannot follow a backslash in double quotes. Use single quotes or a block (|).',
  BAD_INDENT: 'This line has another indentation than its neighbours. Entries of one level start in the same column.',
  BAD_SCALAR_START: 'A value cannot start with this character. Put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'A line has one "name: value". Put a value that contains ": " in quotes.',
  BLOCK_IN_FLOW: 'Inside { } and [ ], entries are separated by commas and not indented.',
  MISSING_CHAR: 'Something is missing before this: a comma, a closing quote, or a space after ":" or "-".',
  MULTILINE_IMPLICIT_KEY: 'A name must be on one line, followed by ":".',
  TAB_AS_INDENT: 'YAML is indented with spaces, not with tabs.',
  UNEXPECTED_TOKEN: 'Unexpected text. Put values that contain : # { } [ ] , & * ! | > % @ in quotes.',
};

export const toYamlHint = (code: YAMLError['code']): string => SYNTAX_HINTS[code] ?? 'This is not valid YAML.';

/**
 * Yields the tokens of the library's first stage, within limits. The second stage builds nodes recursively, so it
 * depends on these limits.
 */
export function* readBoundedTokens(
  text: string,
  lines: LineCounter,
  bounds: YamlBounds,
  refuse: YamlRefusals,
): Generator<YamlToken> {
  const parser = new Parser(lines.addNewLine);
  let pieces = 0;
  lines.addNewLine(0);
  for (const piece of new Lexer().lex(text)) {
    pieces += 1;
    if (pieces > bounds.pieces) refuse.size();
    for (const token of parser.next(piece)) {
      // Stops at the first error. Otherwise the library would collect an error with a stack trace for each.
      if (token.type === 'error') refuse.syntax(token.offset, 'UNEXPECTED_TOKEN');
      yield token;
    }
    // The parser's stack has one level for the document, one for a value, and two for a list in a map.
    if (parser.stack.length > 2 * bounds.depth) refuse.depth(parser.offset);
  }
  yield* parser.end();
}
