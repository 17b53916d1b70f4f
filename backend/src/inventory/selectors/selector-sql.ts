import { sql, type Sql } from '../../common/database/sql.js';
import { NAME_KEY, type SelectorRequirement, type Selector } from './selector.js';

/**
 * Condition on a row of `servers`, equivalent to `matchesSelector`. It has redundant parts that an index can serve under
 * row-level security, because no index can serve parts such as `like`.
 *
 * @param server alias of the row
 * @param tenantId for queries that need all matching rows: the tags are then read once, not once per row, whatever the
 *   planner estimates
 */
export const isSelectedSql = ({ requirements }: Selector, server: Sql, tenantId?: string): Sql =>
  sql.all(requirements.map((requirement) => requirementSql(requirement, server, tenantId)));

/**
 * PostgreSQL can't store half a surrogate pair. The driver would replace it by U+FFFD, which could match stored texts.
 */
const isStorableText = (text: string) => !/\p{Surrogate}/u.test(text);

function requirementSql({ key, operator, values }: SelectorRequirement, server: Sql, tenantId?: string): Sql {
  const storableValues = values.filter(isStorableText);
  if (key === NAME_KEY)
    return operator === 'notin'
      ? sql`not ${isNameLikeSql(storableValues, server)}`
      : hasNameLikeSql(storableValues, server);
  const negated = operator === 'absent' || operator === 'notin';
  const matchesNothing = !isStorableText(key) || (values.length > 0 && storableValues.length === 0);
  if (matchesNothing) return sql.raw(negated ? 'true' : 'false');
  const not = sql.raw(negated ? 'not ' : '');
  const value = values.length === 0 ? sql.none : sql` and label.value = any (${storableValues}::text[])`;
  if (tenantId !== undefined)
    return sql`(${server}.id in (select label.server_id from server_labels label where label.tenant_id = ${tenantId}
      and label.key = ${key}::text${value})) is ${not}true`;
  return sql`${not}exists (select 1 from server_labels label where label.tenant_id = ${server}.tenant_id
    and label.server_id = ${server}.id and label.key = ${key}::text${value})`;
}

/** Condition that one of the globs matches, with ranges that an index can serve. */
function hasNameLikeSql(globs: string[], server: Sql): Sql {
  const beginnings = globs.map(getGlobPrefix);
  if (globs.length === 0 || beginnings.includes('')) return isNameLikeSql(globs, server);
  const name = sql`${server}.name collate "C"`;
  const ranges = beginnings.map((beginning, at) => {
    if (beginning === globs[at]) return sql`${name} = ${beginning}::text`;
    const end = findEndOfPrefixRange(beginning);
    const before = end === null ? sql.none : sql` and ${name} < ${end}::text`;
    return sql`(${name} >= ${beginning}::text${before})`;
  });
  return sql`(${sql.join(ranges, ' or ')}) and ${isNameLikeSql(globs, server)}`;
}

const isNameLikeSql = (globs: string[], server: Sql): Sql =>
  globs.length === 0 ? sql.raw('false') : sql`${server}.name like any (${globs.map(toLikePattern)}::text[])`;

/** Converts a glob to a LIKE pattern. Like globs, LIKE compares characters, not code units, and is case-sensitive. */
const toLikePattern = (glob: string): string =>
  glob
    .replace(/[\\%_]/g, '\\$&')
    .replace(/\*+/g, '%')
    .replaceAll('?', '_');

const getGlobPrefix = (glob: string): string => glob.replace(/[*?].*$/su, '');

/** Returns the smallest text, by code points, that follows all texts with this prefix; null: there is none. */
function findEndOfPrefixRange(beginning: string): string | null {
  const characters = Array.from(beginning);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    // Skips surrogate code points, which texts do not contain.
    if (code < 0x10ffff) return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return null;
}
