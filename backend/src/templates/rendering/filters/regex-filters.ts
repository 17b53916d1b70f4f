import { RE2JS, RE2JSException } from 're2js';
import { type FilterFunction, invalid, toPlainText, readArguments, ValueError, wholeNumber } from './filter-value.ts';

/** In characters. */
const MAX_PATTERN = 1000;
const MAX_MATCHES = 10_000;
/** In characters per rendering. */
const MAX_RESULT = 2_000_000;
const CACHED_PATTERNS = 50;

const compiled = new Map<string, RE2JS>();

/**
 * Compiles a pattern for RE2, whose time is linear in the length of the text for every pattern.
 * @throws ValueError for invalid patterns and features that RE2 lacks
 */
export function patternOf(source: string, flags = 0): RE2JS {
  const key = `${flags} ${source}`;
  const known = compiled.get(key);
  if (known) return known;
  if (source.length > MAX_PATTERN)
    throw new ValueError('invalid_template', `A pattern has at most ${MAX_PATTERN} characters.`);
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(source, flags);
  } catch (error) {
    if (error instanceof RE2JSException) throw new ValueError('invalid_template', explainPatternError(error.message));
    throw error;
  }
  if (compiled.size >= CACHED_PATTERNS) compiled.delete(compiled.keys().next().value ?? '');
  compiled.set(key, pattern);
  return pattern;
}

function explainPatternError(message: string): string {
  const reason = message.replace(/^error parsing regexp: /, '').slice(0, 200);
  const usesLookaround =
    /^invalid or unsupported Perl syntax: `?\(\?[=!<]/.test(reason) ||
    /^invalid escape sequence: `\\[1-9]/.test(reason);
  const advice = usesLookaround
    ? ' Patterns look neither ahead nor behind and do not refer back: they are read in time that grows with the text only.'
    : '';
  return `This is no pattern: ${reason.replace(/\.$/, '')}.${advice}`;
}

function flagsOf(options: Record<string, unknown>): number {
  return (
    (options.ignorecase === true ? RE2JS.CASE_INSENSITIVE : 0) | (options.multiline === true ? RE2JS.MULTILINE : 0)
  );
}

function replacementOf(text: string): (group: (key: number | string) => string) => string {
  const parts = text.split(/(\\g<\w+>|\\[1-9]\d?|\\\\|\\n|\\t)/);
  return (group) =>
    parts
      .map((part) => {
        if (part === '\\\\') return '\\';
        if (part === '\\n') return '\n';
        if (part === '\\t') return '\t';
        const key = /^\\(?:g<(\w+)>|([1-9]\d?))$/.exec(part);
        if (!key) return part;
        const name = key[1] ?? key[2] ?? '';
        return group(/^\d+$/.test(name) ? Number(name) : name);
      })
      .join('');
}

function regexReplace(value: unknown, ...args: unknown[]): string {
  const options = readArguments('regex_replace', args, ['pattern', 'replacement', 'ignorecase', 'multiline', 'count']);
  const text = toPlainText(value);
  const matcher = patternOf(toPlainText(options.pattern), flagsOf(options)).matcher(text);
  const replacement = replacementOf(toPlainText(options.replacement ?? ''));
  const limit = wholeNumber('regex_replace', options.count ?? 0, 0, MAX_MATCHES) || Infinity;
  const group = (key: number | string): string => {
    try {
      return matcher.group(key) ?? '';
    } catch {
      throw invalid(`The pattern has no group ${key}.`);
    }
  };
  const pieces: string[] = [];
  let [end, length, count] = [0, 0, 0];
  while (count < limit && matcher.find()) {
    const piece = text.slice(end, matcher.start()) + replacement(group);
    length += piece.length;
    if (length > MAX_RESULT) throw new ValueError('too_much', 'The result of regex_replace is too large.');
    pieces.push(piece);
    end = matcher.end();
    count += 1;
  }
  return pieces.join('') + text.slice(end);
}

/** Separates arguments that select groups, such as `'\\1'` and `'\\g<name>'`, from other arguments. */
function groupArguments(args: readonly unknown[]): { groups: (number | string)[]; rest: unknown[] } {
  const names = args.map((arg) => /^\\(?:g<(\w+)>|(\d{1,2}))$/.exec(typeof arg === 'string' ? arg : ''));
  const groups = names.flatMap((found) => {
    const name = found && (found[1] ?? found[2]);
    if (!name) return [];
    return [/^\d+$/.test(name) ? Number(name) : name];
  });
  return { groups, rest: args.filter((_, index) => !names[index]) };
}

function regexSearch(value: unknown, ...args: unknown[]): unknown {
  const { groups, rest } = groupArguments(args);
  const options = readArguments('regex_search', rest, ['pattern', 'ignorecase', 'multiline']);
  const matcher = patternOf(toPlainText(options.pattern), flagsOf(options)).matcher(toPlainText(value));
  if (!matcher.find()) return null;
  if (groups.length === 0) return matcher.group() ?? '';
  return groups.map((group) => {
    try {
      return matcher.group(group) ?? '';
    } catch {
      throw invalid(`The pattern has no group ${group}.`);
    }
  });
}

function regexFindall(value: unknown, ...args: unknown[]): unknown[] {
  const options = readArguments('regex_findall', args, ['pattern', 'multiline', 'ignorecase']);
  const matcher = patternOf(toPlainText(options.pattern), flagsOf(options)).matcher(toPlainText(value));
  const count = matcher.groupCount();
  const found: unknown[] = [];
  while (matcher.find()) {
    if (found.length >= MAX_MATCHES) throw new ValueError('too_much', `regex_findall finds at most ${MAX_MATCHES}.`);
    if (count <= 1) found.push(matcher.group(count) ?? '');
    else found.push(Array.from({ length: count }, (_, index) => matcher.group(index + 1) ?? ''));
  }
  return found;
}

/** Filters whose first argument is a pattern. The engine does not unescape backslashes in the pattern. */
export const REGEX_FILTERS: Readonly<Record<string, FilterFunction>> = {
  regex_escape: (value) => RE2JS.quote(toPlainText(value)),
  regex_findall: regexFindall,
  regex_replace: regexReplace,
  regex_search: regexSearch,
};
