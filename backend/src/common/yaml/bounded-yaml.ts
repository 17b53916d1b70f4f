import { type Composer, Lexer, type LineCounter, Parser, type YAMLError } from 'yaml';

type Token = Parameters<Composer['next']>[0];

/** How much of a text is looked at. */
export interface YamlBounds {
  /** Names, colons, white space and values: the library needs some 2 µs and 0.5 KiB for each. */
  readonly pieces: number;
  /** Maps and lists inside one another. */
  readonly depth: number;
}

/** Ends the reading with a fault at a place of the text. */
export interface YamlRefusals {
  syntax(offset: number, code: YAMLError['code']): never;
  size(): never;
  depth(offset: number): never;
}

/** Messages of the library repeat pieces of the text, which may be secrets; these do not. */
const HINTS: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'This alias (*name) is not written rightly.',
  BAD_DQ_ESCAPE: 'This character can not stand behind a backslash in double quotes; use single quotes, or a block (|).',
  BAD_INDENT: 'This line is not indented as those around it; entries of one level begin in the same column.',
  BAD_SCALAR_START: 'A value can not begin with this character; put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'A line holds one "name: value"; put a value with ": " in it in quotes.',
  BLOCK_IN_FLOW: 'Inside { } and [ ], entries have commas between them and are not indented.',
  MISSING_CHAR: 'Something is missing before this: a comma, a closing quote, or a space behind ":" or "-".',
  MULTILINE_IMPLICIT_KEY: 'A name must stand on one line, with ":" behind it.',
  TAB_AS_INDENT: 'YAML is indented with spaces, not with tabs.',
  UNEXPECTED_TOKEN: 'This does not belong here. Values with : # { } [ ] , & * ! | > % @ in them are put in quotes.',
};

/** What is wrong with the syntax, in a sentence of our own. */
export const yamlHint = (code: YAMLError['code']): string => HINTS[code] ?? 'This is not valid YAML.';

/**
 * What the library makes of a text at first, with bounds on the way: the second step, which builds nodes, calls itself
 * for each level.
 */
export function* boundedTokens(
  text: string,
  lines: LineCounter,
  bounds: YamlBounds,
  refuse: YamlRefusals,
): Generator<Token> {
  const parser = new Parser(lines.addNewLine);
  let pieces = 0;
  lines.addNewLine(0);
  for (const piece of new Lexer().lex(text)) {
    pieces += 1;
    if (pieces > bounds.pieces) refuse.size();
    for (const token of parser.next(piece)) {
      // The library would gather an error with its stack trace for each.
      if (token.type === 'error') refuse.syntax(token.offset, 'UNEXPECTED_TOKEN');
      yield token;
    }
    // One level for the document, one for a value, and two for a list that is the value of a name.
    if (parser.stack.length > 2 * bounds.depth) refuse.depth(parser.offset);
  }
  yield* parser.end();
}
