/** Finds Jinja syntax in Liquid texts and suggests the Liquid form. */

export interface JinjaFault {
  /** In UTF-16 units. */
  readonly offset: number;
  readonly code: 'unknown_tag' | 'invalid_template';
  readonly message: string;
}

const MAX_FAULTS = 20;
/** Longer tags are not searched, because people do not write such tags. */
const MAX_TAG_LENGTH = 500;
/** Maximum number of characters that are searched in suspect tags, to bound the time for long texts. */
const MAX_SEARCHED_CHARACTERS = 20_000;

interface Tag {
  readonly kind: 'output' | 'tag';
  /** Empty for `{{ … }}`. */
  readonly name: string;
  /** Content without delimiters and name. */
  readonly code: string;
  /** `code` with `·` for each character of quoted texts. */
  readonly masked: string;
  /** Offset of `code` in the text. */
  readonly at: number;
  readonly begin: number;
  readonly filters: ReadonlySet<string>;
}

interface SyntaxFinding {
  /** Offset in the `code` of the tag. */
  readonly at: number;
  readonly message: string;
  readonly code?: JinjaFault['code'];
}

/**
 * Finds everything in a text that Jinja accepts, but that Liquid refuses or interprets differently. Returns the faults
 * in the order of the text.
 * @param filters names of available filters
 */
export function jinjaFaults(text: string, filters: readonly string[]): JinjaFault[] {
  const known = new Set(filters);
  const faults: JinjaFault[] = [];
  let searchedCount = 0;
  for (const tag of readTags(text, known, faults)) {
    if (isSuspect(tag)) searchedCount += tag.code.length;
    if (searchedCount > MAX_SEARCHED_CHARACTERS) break;
    const found = findSyntaxFindings(tag).sort((a, b) => a.at - b.at);
    for (const { at, message, code = 'invalid_template' } of found) faults.push({ offset: tag.at + at, code, message });
    if (faults.length >= MAX_FAULTS) break;
  }
  return faults.slice(0, MAX_FAULTS);
}

/** Yields tags outside raw and comment blocks. Adds Jinja comments to `faults`. */
function* readTags(text: string, filters: ReadonlySet<string>, faults: JinjaFault[]): Generator<Tag> {
  let block = '';
  let comments = true;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const next = text.charAt(at + 1);
    if (next === '#' && comments && block === '' && text.charAt(at - 1) !== '$') {
      const end = text.indexOf('#}', at + 2);
      if (end < 0) {
        comments = false;
        continue;
      }
      faults.push({
        offset: at,
        code: 'invalid_template',
        message: '{# … #} is a comment of Jinja. Write {% comment %} … {% endcomment %}.',
      });
      at = end + 2;
      continue;
    }
    if (next !== '{' && next !== '%') {
      at += 1;
      continue;
    }
    const { masked, end } = maskTextUntil(text, at + 2, next === '{' ? '}}' : '%}');
    const trimmed = masked.replace(/^[-+]/, ' ').replace(/[-+]$/, ' ');
    const [, head = '', name = ''] = (next === '%' ? /^(\s*(\w*))/.exec(trimmed) : null) ?? [];
    const inner = block;
    if (name === 'raw' || name === 'comment') block ||= name;
    else if (name === `end${block}`) block = '';
    if (inner === '' && end - at <= MAX_TAG_LENGTH) {
      const from = at + 2 + head.length;
      const code = text.slice(from, at + 2 + trimmed.length);
      yield {
        ...{ kind: next === '{' ? 'output' : 'tag', name, code, masked: trimmed.slice(head.length) },
        ...{ at: from, begin: at, filters },
      };
    }
    at = end;
  }
}

/** Returns the text of a tag with quoted texts masked, and the offset of its end. */
function maskTextUntil(text: string, from: number, delimiter: string): { masked: string; end: number } {
  let masked = '';
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') {
      const isEscape = character === '\\';
      masked += isEscape ? '··' : character === quote ? character : '·';
      if (isEscape) at += 1;
      else if (character === quote) quote = '';
    } else if (text.startsWith(delimiter, at)) {
      return { masked, end: at + 2 };
    } else {
      if (character === '"' || character === "'") quote = character;
      masked += character;
    }
  }
  return { masked, end: text.length };
}

/** Syntax that Liquid does not have. Tags without any of it are not searched further. */
const SUSPECT_SYNTAX =
  /[()~{}+*/]|(?:^|[\s,:])\[|\s[-%]\s|\b(?:if|is|in|loop|None|True|False|hostvars|ansible_facts)\b|\|\s*(?:d|e|items|list|safe|tojson|mandatory|dictsort|title|format|items)\b/;

/** Tags whose expressions are searched. The empty name is `{{ … }}`. */
const SEARCHED_TAGS = new Set([
  '',
  'if',
  'elsif',
  'elif',
  'else',
  'unless',
  'case',
  'when',
  'for',
  'assign',
  'set',
  'do',
  'with',
  'filter',
]);

const isSuspect = ({ name, masked }: Tag): boolean =>
  SUSPECT_SYNTAX.test(name === 'for' ? masked.replace(/^\s*\w+\s+in\s/, '') : masked);

function findSyntaxFindings(tag: Tag): SyntaxFinding[] {
  const named = tagFinding(tag);
  const isSearched = isSuspect(tag) && SEARCHED_TAGS.has(tag.name);
  const expression = isSearched ? RULES.flatMap((rule) => rule(tag)) : [];
  // If several rules match a construct, only the first one reports it.
  const found: SyntaxFinding[] = [];
  for (const each of [...named, ...expression]) if (!found.some(({ at }) => at === each.at)) found.push(each);
  return found;
}

const ADVICE = 'Braces that belong to the text itself are written {% raw %}{{ … }}{% endraw %}.';
const NO_OTHER_TEMPLATES_TEXT = 'A template contains no other template: put the text here, or write one file per step.';
const NO_MACROS_TEXT = 'Liquid has no macros: write the text where it is used, or go through a list with {% for %}.';
/** Jinja tags that Liquid lacks, with advice. */
const TAG_REPLACEMENTS: Readonly<Record<string, string>> = {
  block: NO_OTHER_TEMPLATES_TEXT,
  call: NO_MACROS_TEXT,
  do: 'Liquid has no {% do %}: write {% assign name = … %}.',
  extends: NO_OTHER_TEMPLATES_TEXT,
  filter: 'Liquid has no {% filter %}: put the filter behind each value: {{ value | upcase }}.',
  from: NO_MACROS_TEXT,
  import: NO_MACROS_TEXT,
  include: NO_OTHER_TEMPLATES_TEXT,
  macro: NO_MACROS_TEXT,
  with: 'Liquid has no {% with %}: write {% assign name = value %}.',
};

function tagFinding({ name, code, masked, begin, at }: Tag): SyntaxFinding[] {
  const finding = (message: string): SyntaxFinding[] => [{ at: begin - at, code: 'unknown_tag', message }];
  if (name === 'set') {
    const [, left = '', right = ''] = /^\s*([\w.]+)\s*=\s*(.*?)\s*$/s.exec(code) ?? [];
    if (left === '') return finding('Liquid has no block {% set %}: write {% assign name = value %} for each value.');
    return finding(`Write {% assign ${left} = ${shortenText(right)} %} in place of {% set ${left} = … %}.`);
  }
  if (name === 'elif' || (name === 'else' && /^\s*if\s/.test(masked)))
    return finding(
      `Write {% elsif ${shortenText(code.replace(/^\s*if\s/, '').trim())} %} in place of {% ${name} … %}.`,
    );
  const message = Object.hasOwn(TAG_REPLACEMENTS, name) ? TAG_REPLACEMENTS[name] : undefined;
  return message === undefined ? [] : finding(`{% ${name} %}: ${message} ${ADVICE}`);
}

type Rule = (tag: Tag) => SyntaxFinding[];

/** Returns a finding for each match of the pattern in `masked`. Groups contain the original text. */
function findMatches(
  { code, masked }: Tag,
  pattern: RegExp,
  message: (groups: string[], match: string) => string | null,
): SyntaxFinding[] {
  return [...masked.matchAll(pattern)].flatMap((match) => {
    const groups = (match.indices ?? []).slice(1).map((range) => (range ? code.slice(...range) : ''));
    const text = message(groups, code.slice(match.index, match.index + match[0].length).trim());
    return text === null ? [] : [{ at: match.index + (match[0].length - match[0].trimStart().length), message: text }];
  });
}

const OPERAND_PATTERN = String.raw`(?:[A-Za-z_][\w-]*(?:\.\w+|\[[^\][]*\])*|"·*"|'·*'|-?\d+(?:\.\d+)?)`;
const toPattern = (pattern: string): RegExp => new RegExp(pattern, 'dg');
/** Arguments of a call such as `.get('x')`, without nested brackets. */
const ARGUMENTS = String.raw`\(([^()]*)\)`;

const loopHead: Rule = (tag) => {
  if (tag.name !== 'for') return [];
  const pairs = findMatches(
    tag,
    toPattern(
      String.raw`^\s*(\w+)\s*,\s*(\w+)\s+in\s+(${OPERAND_PATTERN})(?:\.items\(\)|\s*\|\s*(?:items|dictsort|dict2items))?`,
    ),
    ([k, v, list = '']) => {
      const name = list.replace(/\.items$/, '');
      return `Write {% for pair in ${name} %} and pair[0], pair[1] in place of "for ${k}, ${v} in ${name}.items()".`;
    },
  );
  const filtered = findMatches(
    tag,
    toPattern(String.raw`^\s*(\w+)\s+in\s+(.+?)\s+if\s+(.+)$`),
    ([item, list = '', condition = '']) =>
      `Write {% for ${item} in ${shortenText(list)} %}{% if ${shortenText(condition.trim())} %} … {% endif %}{% endfor %}: a loop has no "if" of its own.`,
  );
  return [...pairs, ...filtered];
};

const inlineIf: Rule = (tag) => {
  if (tag.kind !== 'output' && tag.name !== 'set' && tag.name !== 'assign') return [];
  const prefix = tag.kind === 'output' ? '' : String.raw`[\w.]+\s*=\s*`;
  return findMatches(
    tag,
    toPattern(String.raw`^\s*${prefix}(.+?)\s+if\s+(.+?)(?:\s+else\s+(.+?))?\s*$`),
    ([yes = '', condition = '', no = '']) => {
      const other = no === '' ? "''" : no;
      return tag.filters.has('ternary') && !/\s/.test(condition)
        ? `Write {{ ${shortenText(condition)} | ternary: ${shortenText(yes)}, ${shortenText(other)} }} in place of "${shortenText(yes)} if ${shortenText(condition)} else ${shortenText(other)}".`
        : `Write {% if ${shortenText(condition)} %}${toOutsideTags(yes)}{% else %}${toOutsideTags(other)}{% endif %} in place of "… if … else …".`;
    },
  );
};

const TESTS: Readonly<Record<string, string>> = {
  defined: '$',
  undefined: 'not $',
  none: 'not $',
  true: '$ == true',
  false: '$ == false',
};

const tests: Rule = (tag) =>
  findMatches(
    tag,
    toPattern(String.raw`(${OPERAND_PATTERN})\s+is\s+(not\s+)?(\w+)`),
    ([value = '', not = '', test = ''], match) => {
      const form = Object.hasOwn(TESTS, test) ? TESTS[test] : undefined;
      if (form === undefined)
        return `Liquid has no test "is ${test}": compare the value instead, such as ${value} == "x".`;
      const negated =
        not === ''
          ? form
          : form.startsWith('not ')
            ? form.slice(4)
            : form.includes('==')
              ? form.replace('==', '!=')
              : `not ${form}`;
      return `Write "${negated.replace('$', value)}" in place of "${match}".`;
    },
  );

const membership: Rule = (tag) => {
  const masked =
    tag.name === 'for' ? tag.masked.replace(/^\s*[\w\s,]+?\s+in\s/, (head) => ' '.repeat(head.length)) : tag.masked;
  return findMatches(
    { ...tag, masked },
    toPattern(String.raw`(${OPERAND_PATTERN})\s+(not\s+)?in\s+(${OPERAND_PATTERN}|\[[^\]]*\]|\([^)]*\))`),
    ([item = '', not = '', list = ''], match) => {
      const where = /^[[(]/.test(list) ? 'list' : list;
      return not === ''
        ? `Write "${where} contains ${item}" in place of "${shortenText(match)}".`
        : `Write {% unless ${where} contains ${item} %} in place of "${shortenText(match)}".`;
    },
  );
};

const LOOP_FIELD_NAMES: Readonly<Record<string, string>> = { revindex: 'rindex', revindex0: 'rindex0' };
const loopFields: Rule = (tag) =>
  findMatches(
    tag,
    toPattern(String.raw`(?<![\w.])loop\.(index0?|revindex0?|first|last|length)\b`),
    ([field = '']) => `Write forloop.${LOOP_FIELD_NAMES[field] ?? field} in place of loop.${field}.`,
  );

const concatenation: Rule = (tag) =>
  findMatches(
    tag,
    toPattern(String.raw`(${OPERAND_PATTERN})\s*~\s*(${OPERAND_PATTERN})`),
    ([left = '', right = '']) => `Write ${left} | append: ${right} in place of ${left} ~ ${right}.`,
  );

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': 'plus',
  '-': 'minus',
  '*': 'times',
  '/': 'divided_by',
  '//': 'divided_by',
  '%': 'modulo',
};
const arithmetic: Rule = (tag) =>
  findMatches(
    tag,
    toPattern(String.raw`(${OPERAND_PATTERN})\s+(\+|-|\*|\/\/?|%)\s+(${OPERAND_PATTERN})`),
    ([left = '', sign = '', right = '']) => {
      const isText = /^["']/.test(left) || /^["']/.test(right);
      const filter = isText && sign === '+' ? 'append' : (ARITHMETIC[sign] ?? '');
      return tag.filters.has(filter)
        ? `Write ${left} | ${filter}: ${right} in place of ${left} ${sign} ${right}.`
        : `A command calculates nothing: let the shell do it, such as $(( ${left} ${sign} ${right} )).`;
    },
  );

/** Filters of Jinja and Ansible that have another name here; null: the filter is not needed. */
const FILTER_NAMES: Readonly<Record<string, string | null>> = {
  d: 'default',
  e: null,
  escape: null,
  list: null,
  mandatory: null,
  safe: null,
  tojson: 'to_json',
  title: 'capitalize',
  items: null,
};

const filters: Rule = (tag) =>
  findMatches(
    tag,
    toPattern(String.raw`\|\s*(\w+)\s*(\(([^()]*)\))?`),
    ([name = '', brackets = '', given = ''], match) => {
      const isKnown = tag.filters.has(name);
      const intendedName = isKnown || !Object.hasOwn(FILTER_NAMES, name) ? name : FILTER_NAMES[name];
      if (brackets === '' && intendedName === name) return null;
      if (intendedName === null) return `Leave out "| ${name}".`;
      const form = filterForm(intendedName ?? name, given.trim(), tag.filters);
      return `Write ${form} in place of ${shortenText(match)}.`;
    },
  );

function filterForm(name: string, given: string, known: ReadonlySet<string>): string {
  const args = splitArguments(given);
  const [first = '', second = '', third = ''] = args;
  const attribute = /^attribute\s*=\s*(.+)$/s.exec(first)?.[1];
  if (name === 'map' && attribute !== undefined && known.has('map')) return `| map: ${attribute}`;
  if (name === 'map')
    return `{% for item in list %}{{ item | ${first.replaceAll(/["']/g, '') || 'filter'} }}{% endfor %}`;
  if ((name === 'selectattr' || name === 'rejectattr') && known.has('where'))
    return name === 'selectattr'
      ? `| where: ${[first, third || second].filter((arg) => arg !== '').join(', ')}`
      : `{% for item in list %}{% unless item[${first}] %} … {% endunless %}{% endfor %}`;
  if (name === 'select' || name === 'reject') return '{% for item in list %}{% if item … %} … {% endif %}{% endfor %}';
  if (name === 'default') return `| default: ${shortenText(first)}`;
  if (name === 'format') return '| append: … (Liquid has no format)';
  if (args.length === 0) return `| ${name}`;
  return `| ${name}: ${shortenText(args.map((arg) => arg.replace(/^(\w+)\s*=\s*(?!=)/, '$1: ')).join(', '))}`;
}

function splitArguments(given: string): string[] {
  return (given.match(/(?:"[^"]*"|'[^']*'|[^,])+/g) ?? []).map((arg) => arg.trim()).filter((arg) => arg !== '');
}

const METHODS: Readonly<Record<string, (value: string, args: string) => string>> = {
  endswith: (value, args) => `use the filter regex_search: ${value} | regex_search: ${args || '…'}`,
  get: (value, args) => {
    const [key = '…', other] = splitArguments(args);
    return `write ${value}[${key}]${other === undefined ? '' : ` | default: ${other}`}`;
  },
  items: (value) => `write {% for pair in ${value} %} with pair[0] and pair[1]`,
  keys: (value) => `write {% for pair in ${value} %} with pair[0]`,
  lower: (value) => `write ${value} | downcase`,
  replace: (value, args) => `write ${value} | replace: ${args}`,
  split: (value, args) => `write ${value} | split: ${args || "' '"}`,
  startswith: (value, args) => `use the filter regex_search: ${value} | regex_search: ${args || '…'}`,
  strip: (value) => `write ${value} | strip`,
  upper: (value) => `write ${value} | upcase`,
  values: (value) => `write {% for pair in ${value} %} with pair[1]`,
};

const calls: Rule = (tag) =>
  findMatches(
    tag,
    toPattern(String.raw`(?<![\w|.])(?<!\|\s)(${OPERAND_PATTERN})\s*${ARGUMENTS}`),
    ([called = '', args = '']) => {
      const [, value = '', method = ''] = /^(.+)\.(\w+)$/s.exec(called) ?? [];
      // The rule `loopHead` reports this case.
      if (tag.name === 'for' && method === 'items') return null;
      const form = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
      if (form) return `Liquid has no methods: ${form(value, args.trim())} in place of ${shortenText(called)}(…).`;
      if (method !== '') return `Liquid has no methods such as .${method}(): use a filter.`;
      if (called === 'range') return `Write ${rangeForm(args)} in place of range(${shortenText(args)}).`;
      if (['lookup', 'query', 'q'].includes(called))
        return `${called}() reads from the machine that Ansible runs on. Declare a variable in the plan or the environment.`;
      if (['and', 'or', 'not', 'in', 'if', 'else', 'is'].includes(called))
        return /\.\./.test(args) ? null : 'Liquid has no brackets in conditions: write an {% if %} within an {% if %}.';
      return `Liquid has no functions such as ${called}(): use a filter or a variable.`;
    },
  );

function rangeForm(args: string): string {
  const [first = '0', last] = splitArguments(args);
  const [from, to] = last === undefined ? ['0', first] : [first, last];
  return /^\d+$/.test(to) ? `(${from}..${Number(to) - 1})` : `(${from}..N), where N is ${to} - 1,`;
}

const literals: Rule = (tag) => [
  ...findMatches(
    tag,
    /(?<![\w.])(None|True|False)\b/dg,
    ([word = '']) => `Write ${word === 'None' ? 'nil' : word.toLowerCase()} in place of ${word}.`,
  ),
  ...findMatches(tag, /(?:^|[\s=(,:|])([[{])/dg, ([open]) =>
    open === '['
      ? "Liquid has no list literals: write 'a,b' | split: ',', or declare a variable of the type list."
      : 'Liquid has no map literals: declare a variable, or use from_json.',
  ),
];

const ansibleNames: Rule = (tag) =>
  findMatches(tag, /(?<![\w.'"])(hostvars|ansible_facts)(?=[.[])/dg, ([name = '']) =>
    name === 'hostvars'
      ? 'There is no hostvars: a template knows its own host (host.name, host.tags.NAME) and what earlier steps did there (steps.KEY.outputs.NAME).'
      : 'Write host.facts.NAME in place of ansible_facts.',
  );

/** If several rules match at one offset, the first one reports it. */
const RULES: readonly Rule[] = [
  loopHead,
  inlineIf,
  tests,
  membership,
  loopFields,
  concatenation,
  arithmetic,
  filters,
  calls,
  literals,
  ansibleNames,
];

const MAX_QUOTED = 60;
const shortenText = (text: string): string => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
const toOutsideTags = (value: string): string => /^(["'])(.*)\1$/s.exec(value)?.[2] ?? `{{ ${shortenText(value)} }}`;
