import { NAME_KEY, type Requirement, type Selector } from './selector.js';

export interface SelectorSql {
  sql: string;
  parameters: Record<string, string | string[]>;
}

/**
 * SQL condition on a row of `servers`, equivalent to `matchesSelector`. It has redundant parts that an index can serve
 * under row-level security, because no index can serve parts such as `like`.
 *
 * @param alias of the row
 * @param prefix of the parameter names; must be unique in the statement
 * @param tenant SQL expression of the tenant's id, for queries that need all matching rows: the tags are then read
 *   once, not once per row, whatever the planner estimates
 */
export function selectorSql(
  { requirements }: Selector,
  alias: string,
  prefix = 'selector',
  tenant?: string,
): SelectorSql {
  const parameters: SelectorSql['parameters'] = {};
  const bind = (value: string | string[]): string => {
    const name = `${prefix}${Object.keys(parameters).length}`;
    parameters[name] = value;
    return Array.isArray(value) ? `:${name}::text[]` : `:${name}::text`;
  };
  const conditions = requirements.map((requirement) => conditionOf(requirement, alias, bind, tenant));
  return { sql: conditions.length === 0 ? 'true' : conditions.join(' and '), parameters };
}

type BindParameter = (value: string | string[]) => string;

/**
 * PostgreSQL can't store half a surrogate pair. The driver would replace it by U+FFFD, which could match stored texts.
 */
const storable = (text: string) => !/\p{Surrogate}/u.test(text);

function conditionOf(
  { key, operator, values }: Requirement,
  alias: string,
  bind: BindParameter,
  tenant?: string,
): string {
  const storableValues = values.filter(storable);
  if (key === NAME_KEY)
    return operator === 'notin'
      ? `not ${nameCondition(storableValues, alias, bind)}`
      : named(storableValues, alias, bind);
  const negated = operator === 'absent' || operator === 'notin';
  const matchesNothing = !storable(key) || (values.length > 0 && storableValues.length === 0);
  if (matchesNothing) return negated ? 'true' : 'false';
  const value = values.length === 0 ? '' : ` and label.value = any (${bind(storableValues)})`;
  if (tenant !== undefined)
    return `(${alias}.id in (select label.server_id from server_labels label where label.tenant_id = ${tenant}
      and label.key = ${bind(key)}${value})) is ${negated ? 'not ' : ''}true`;
  return `${negated ? 'not ' : ''}exists (select 1 from server_labels label where label.tenant_id = ${alias}.tenant_id
    and label.server_id = ${alias}.id and label.key = ${bind(key)}${value})`;
}

/** Condition that one of the globs matches, with ranges that an index can serve. */
function named(globs: string[], alias: string, bind: BindParameter): string {
  const beginnings = globs.map(prefixOf);
  if (globs.length === 0 || beginnings.includes('')) return nameCondition(globs, alias, bind);
  const name = `${alias}.name collate "C"`;
  const ranges = beginnings.map((beginning, at) => {
    if (beginning === globs[at]) return `${name} = ${bind(beginning)}`;
    const end = endOfPrefix(beginning);
    return `(${name} >= ${bind(beginning)}${end === null ? '' : ` and ${name} < ${bind(end)}`})`;
  });
  return `(${ranges.join(' or ')}) and ${nameCondition(globs, alias, bind)}`;
}

const nameCondition = (globs: string[], alias: string, bind: BindParameter): string =>
  globs.length === 0 ? 'false' : `${alias}.name like any (${bind(globs.map(likeOf))})`;

/** Converts a glob to a LIKE pattern. Like globs, LIKE compares characters, not code units, and is case-sensitive. */
const likeOf = (glob: string): string =>
  glob
    .replace(/[\\%_]/g, '\\$&')
    .replace(/\*+/g, '%')
    .replaceAll('?', '_');

const prefixOf = (glob: string): string => glob.replace(/[*?].*$/su, '');

/** Returns the smallest text, by code points, that follows all texts with this prefix; null: there is none. */
function endOfPrefix(beginning: string): string | null {
  const characters = Array.from(beginning);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    // Skips surrogate code points, which texts do not contain.
    if (code < 0x10ffff) return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return null;
}
