/** Path of a name, such as `steps`, `build`, `outputs` and `version` in `{{ steps.build.outputs.version }}`. */
export interface Mention {
  path: readonly string[];
}

export interface Mentions {
  names: Mention[];
  filters: string[];
  /** Names that the text itself defines with assign, capture and for. */
  locals: Set<string>;
}

const KEYWORDS = new Set([
  ...['true', 'false', 'nil', 'null', 'empty', 'blank', 'and', 'or', 'not', 'contains', 'in', 'reversed'],
]);
const VERBATIM = /\{%-?\s*(raw|comment)\s*-?%\}[\s\S]*?\{%-?\s*end\1\s*-?%\}/g;
const INSERTION = /\{\{-?([\s\S]*?)-?\}\}|\{%-?\s*(\w+)([\s\S]*?)-?%\}/g;

/** Returns all names in a text with `{{ }}`. Ignores unclosed braces. */
export function mentionsIn(text: string): Mentions {
  const found: Mentions = { names: [], filters: [], locals: new Set() };
  for (const [, output, tag, rest = ''] of text.replace(VERBATIM, '').matchAll(INSERTION)) {
    if (output !== undefined) readExpression(output, found);
    else readTag(tag ?? '', rest, found);
  }
  return found;
}

/** Returns all names in a condition, which has no braces. */
export function mentionsInCondition(text: string): Mentions {
  const found: Mentions = { names: [], filters: [], locals: new Set() };
  readExpression(text, found);
  return found;
}

function readTag(tag: string, rest: string, found: Mentions): void {
  const [, local, value = ''] = /^\s*([\w-]+)\s*(?:=|\bin\b|$)([\s\S]*)$/.exec(rest) ?? [];
  if (['assign', 'capture', 'for', 'tablerow'].includes(tag) && local !== undefined) {
    found.locals.add(local);
    if (tag === 'for') found.locals.add('forloop');
    // Words after the list, such as limit, are not names.
    readExpression(tag === 'for' ? (/^\s*\S+/.exec(value)?.[0] ?? '') : value, found);
  } else if (['if', 'elsif', 'unless', 'case', 'when', 'echo'].includes(tag)) readExpression(rest, found);
}

function readExpression(text: string, found: Mentions): void {
  const plain = text
    .replace(/\[\s*(["'])([\w-]+)\1\s*\]/g, '.$2')
    .replace(/"[^"]*"?|'[^']*'?/g, (quoted) => ' '.repeat(quoted.length));
  const [operands = '', ...filters] = plain.split('|');
  readOperands(operands, found);
  for (const filter of filters) {
    const [, name, given = ''] = /^\s*([\w-]*)([\s\S]*)$/.exec(filter) ?? [];
    if (name) found.filters.push(name);
    // Names of arguments, as in `indent: 2`, are not names of the plan.
    readOperands(given.replace(/\b[A-Za-z_]\w*\s*:/g, ' '), found);
  }
}

function readOperands(text: string, found: Mentions): void {
  for (const [word] of text.matchAll(/(?<![\w.-])[A-Za-z_][\w-]*(?:\.[\w-]+)*/g)) {
    const path = word.split('.');
    if (path.length > 1 || !KEYWORDS.has(word)) found.names.push({ path });
  }
}
