import { NAME_KEY, type Requirement, type Selector } from './selector.js';

/** A condition with named parameters, as a query builder takes them. */
export interface SelectorSql {
  sql: string;
  parameters: Record<string, string | string[]>;
}

/**
 * SQL condition on a row of `servers`: the selector matches it, exactly as `matchesSelector` says. Its parts that an
 * index may serve under row-level security stand beside those that none may, such as `like`.
 *
 * @param alias of the row
 * @param prefix of the parameters' names, which must be no others' in the statement
 * @param tenant how the statement writes the tenant's id, where all matching rows are wanted and not only the first: then
 *   the labels are gone through once, and not for each row, whatever the database takes them for
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

type Bind = (value: string | string[]) => string;

/** Half a surrogate pair can't be stored, but would be sent as U+FFFD, which can. */
const storable = (text: string) => !/\p{Surrogate}/u.test(text);

function conditionOf({ key, operator, values }: Requirement, alias: string, bind: Bind, tenant?: string): string {
  const wanted = values.filter(storable);
  if (key === NAME_KEY)
    return operator === 'notin' ? `not ${isNamed(wanted, alias, bind)}` : named(wanted, alias, bind);
  const negated = operator === 'absent' || operator === 'notin';
  const nothing = !storable(key) || (values.length > 0 && wanted.length === 0);
  if (nothing) return negated ? 'true' : 'false';
  const value = values.length === 0 ? '' : ` and label.value = any (${bind(wanted)})`;
  if (tenant !== undefined)
    return `(${alias}.id in (select label.server_id from server_labels label where label.tenant_id = ${tenant}
      and label.key = ${bind(key)}${value})) is ${negated ? 'not ' : ''}true`;
  return `${negated ? 'not ' : ''}exists (select 1 from server_labels label where label.tenant_id = ${alias}.tenant_id
    and label.server_id = ${alias}.id and label.key = ${bind(key)}${value})`;
}

/** The globs match, with what an index may serve. */
function named(globs: string[], alias: string, bind: Bind): string {
  const beginnings = globs.map(beginningOf);
  if (globs.length === 0 || beginnings.includes('')) return isNamed(globs, alias, bind);
  const name = `${alias}.name collate "C"`;
  const ranges = beginnings.map((beginning, at) => {
    if (beginning === globs[at]) return `${name} = ${bind(beginning)}`;
    const end = afterAllWith(beginning);
    return `(${name} >= ${bind(beginning)}${end === null ? '' : ` and ${name} < ${bind(end)}`})`;
  });
  return `(${ranges.join(' or ')}) and ${isNamed(globs, alias, bind)}`;
}

const isNamed = (globs: string[], alias: string, bind: Bind): string =>
  globs.length === 0 ? 'false' : `${alias}.name like any (${bind(globs.map(likeOf))})`;

/** The pattern of LIKE that a glob is; that compares characters, not code units, and upper and lower case, as globs do. */
const likeOf = (glob: string): string =>
  glob
    .replace(/[\\%_]/g, '\\$&')
    .replace(/\*+/g, '%')
    .replaceAll('?', '_');

const beginningOf = (glob: string): string => glob.replace(/[*?].*$/su, '');

/** The least text, by code points, that comes after all that begin like this; null: none does. */
function afterAllWith(beginning: string): string | null {
  const characters = Array.from(beginning);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    // No text holds code points of surrogates.
    if (code < 0x10ffff) return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return null;
}
