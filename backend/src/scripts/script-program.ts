export const DEFAULT_INTERPRETER = '/bin/sh';

/** Number of characters in which the end of the first line is searched. */
export const FIRST_LINE_LENGTH = 4096;

export const PROGRAM_SOURCES = ['interpreter', 'first_line', 'default'] as const;

export interface ScriptProgram {
  /** Program and its arguments, which precede the script file. */
  words: [string, ...string[]];
  source: (typeof PROGRAM_SOURCES)[number];
}

/** Returns the first line, without a byte order mark and a carriage return. */
export const firstLineOf = (content: string): string =>
  (/^\uFEFF?([^\n]*)/.exec(content.slice(0, FIRST_LINE_LENGTH))?.[1] ?? '').replace(/\r$/, '');

/**
 * Returns the program of a script. In order of precedence: its interpreter, its first line as Linux reads it,
 * `/bin/sh`.
 * @param interpreter null: not set
 * @param content the script, or its first line
 */
export function scriptProgram(interpreter: string | null, content: string): ScriptProgram {
  if (interpreter !== null) return { words: [interpreter], source: 'interpreter' };
  const words = firstLineWords(firstLineOf(content));
  return words ? { words, source: 'first_line' } : { words: [DEFAULT_INTERPRETER], source: 'default' };
}

const FIRST_LINE = /^#![ \t]*([^ \t]+)[ \t]*(.*?)[ \t]*$/;
/** Matches `env -S` with words that need no quoting or expansion. `env` itself interprets all other arguments. */
const ENV_SPLIT_ARGUMENT = /^(?:-S|--split-string=)[ \t]*([\w@%+=:,./-]+(?:[ \t]+[\w@%+=:,./-]+)*)$/;

/** Null: the line names no program. Like Linux, treats the text after the program as one argument. */
function firstLineWords(line: string): [string, ...string[]] | null {
  const [, program, argument = ''] = FIRST_LINE.exec(line) ?? [];
  if (program === undefined) return null;
  if (argument === '') return [program];
  const split = isEnv(program) ? ENV_SPLIT_ARGUMENT.exec(argument)?.[1] : undefined;
  return split === undefined ? [program, argument] : [program, ...split.split(/[ \t]+/)];
}

/** Returns the name of the program without its folder. For `env`, returns the name of the program that `env` starts. */
export function programName(words: readonly string[]): string {
  return nameOf(commandWords(words)[0] ?? words[0] ?? '');
}

/**
 * Returns the program that finally runs the script, with its arguments. Strips `env` with its options and assignments.
 */
export function commandWords([program = '', ...rest]: readonly string[]): readonly string[] {
  if (!isEnv(program)) return [program, ...rest];
  const at = rest.findIndex((word) => !/^-|^\w+=/.test(word));
  return at < 0 || /[ \t]/.test(rest[at] ?? '') ? [program, ...rest] : rest.slice(at);
}

const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1);
const isEnv = (program: string): boolean => nameOf(program) === 'env';
