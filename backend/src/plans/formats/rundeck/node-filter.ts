import { type Fields, isFields, type YamlTree } from '../../code/plan-text.ts';
import { hasValue, toText } from './notes.ts';

const FILTER_TERM_PATTERN = /(!?[A-Za-z_][\w-]*!?)\s*:\s*("[^"]*"|'[^']*'|(?:[^\s,]|,\s*(?![\w-]+\s*:))+)/g;
const PLAIN_VALUE_PATTERN = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

const KNOWN_FILTER_FIELDS = ['dispatch', 'filter', 'filterExclude', 'include', 'exclude'];

/** Returns the selector of a node filter; empty: all hosts; null: no selector can express the filter. */
export function toSelector(filters: Fields): string | null {
  if (
    Object.keys(filters).some(
      (field) => !KNOWN_FILTER_FIELDS.includes(field) && hasValue(filters[field]) && filters[field] !== false,
    )
  )
    return null;
  const conditions = [
    ...parseConditions(toText(filters.filter), false),
    ...parseConditions(toText(filters.filterExclude), true),
    ...toConditions(filters.include, false),
    ...toConditions(filters.exclude, true),
  ];
  const excludingConditions = conditions.filter(({ negated }) => negated);
  const dispatch = isFields(filters.dispatch) ? filters.dispatch : {};
  // When false, includes take precedence over excludes, which no selector can express.
  const precedence = dispatch.excludePrecedence;
  if (excludingConditions.length > 0 && (precedence === false || precedence === 'false')) return null;
  // Several excludes may apply only to nodes that match all of them.
  if (excludingConditions.length > 1) return null;
  const terms = conditions.flatMap(toSelectorTerms);
  return terms.includes(IMPOSSIBLE_VALUE) ? null : terms.join(',');
}

interface FilterCondition {
  readonly name: string;
  readonly value: string;
  readonly negated: boolean;
}

const UNREADABLE_CONDITION: FilterCondition = { name: '', value: '', negated: false };

function parseConditions(filter: string | null, isExclusion: boolean): FilterCondition[] {
  if (filter === null) return [];
  const found = [...filter.matchAll(FILTER_TERM_PATTERN)].map(([, name = '', value = '']) => ({
    name: name.replaceAll('!', ''),
    value,
    negated: name.includes('!') !== isExclusion,
  }));
  const rest = filter.replace(FILTER_TERM_PATTERN, '').trim();
  if (found.length > 0 && (rest === '' || rest === ',')) return found;
  return [
    /[\s:]/.test(filter.trim()) ? UNREADABLE_CONDITION : { name: 'name', value: filter.trim(), negated: isExclusion },
  ];
}

function toConditions(side: YamlTree | undefined, negated: boolean): FilterCondition[] {
  if (!hasValue(side)) return [];
  if (!isFields(side)) return [UNREADABLE_CONDITION];
  return Object.entries(side).map(([name, value]) => ({ name, value: toText(value) ?? '', negated }));
}

const IMPOSSIBLE_VALUE = '\0';

/** Returns the selector's terms for one condition. All terms must match. */
function toSelectorTerms({ name, value: written, negated }: FilterCondition): string[] {
  const value = written.replace(/^["']|["']$/g, '').trim();
  if (name === 'tags') {
    const some = value.split(',').map((each) => each.trim());
    const all = value.split('+').map((each) => each.trim());
    if (some.length > 1 && !negated) return [IMPOSSIBLE_VALUE];
    if (all.length > 1 && negated) return [IMPOSSIBLE_VALUE];
    return (negated ? some : all).map((tag) =>
      PLAIN_VALUE_PATTERN.test(tag) ? `${negated ? '!' : ''}${tag}` : IMPOSSIBLE_VALUE,
    );
  }
  // In Rundeck, `hostname` is the address, which selectors cannot match.
  if (name === 'hostname') return [IMPOSSIBLE_VALUE];
  const key = name === 'nodename' ? 'name' : name;
  if (key === 'name' && value === '.*') return negated ? [IMPOSSIBLE_VALUE] : [];
  const values = value
    .replace(/^\/\^?|\$?\/$/g, '')
    .split(',')
    .map((each) => toGlob(each.trim(), key === 'name'));
  if (!PLAIN_VALUE_PATTERN.test(key) || values.includes(null)) return [IMPOSSIBLE_VALUE];
  if (values.length === 1) return [`${key}${negated ? '!=' : '='}${values[0]}`];
  if (values.some((each) => each?.includes('*')))
    return negated ? values.map((each) => `${key}!=${each}`) : [IMPOSSIBLE_VALUE];
  return [`${key} ${negated ? 'notin' : 'in'} (${values.join(', ')})`];
}

/** Returns a name, or a pattern with only `.*`, as a glob; null: any other pattern. */
function toGlob(value: string, globs: boolean): string | null {
  if (PLAIN_VALUE_PATTERN.test(value)) return value;
  const glob = value.replaceAll('.*', '*');
  return globs && /^[A-Za-z0-9*][A-Za-z0-9._*-]*$/.test(glob) ? glob : null;
}
