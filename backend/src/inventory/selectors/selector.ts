import { shortenText } from '../../common/text/shorten.js';
import { matchesGlob } from './glob.js';
import { suggestName } from '../../common/text/nearest-name.js';
import { FACT_PREFIX, USABLE_FACTS } from '../facts/host-facts.js';
import { sql, type Sql } from '../../common/database/sql.js';

/** Key of the server's name. Every other key is a tag. */
export const NAME_KEY = 'name';
const MAX_SELECTOR_LENGTH = 1000;
const MAX_SELECTOR_REQUIREMENTS = 50;

/**
 * One condition. `in` matches if the value is one of `values`. `notin` matches if the value is none of them, or if the
 * tag is missing, as in Kubernetes. Values of the key `name` are globs with `*` and `?`.
 */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: 'exists' | 'absent' | 'in' | 'notin';
  readonly values: readonly string[];
}

/** A server matches if it meets all requirements. An empty list matches every server. */
export interface Selector {
  readonly requirements: readonly SelectorRequirement[];
}

export interface SelectableServer {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** The message says what was expected at which character. `position` counts UTF-16 units from 0. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';

  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message);
  }
}

/**
 * Parses a Kubernetes label selector over server tags, with globs over the server's name: `role=web,region in (eu,
 * us),!legacy,env!=prod,tier notin (a, b),gpu,name=web-*`.
 *
 * @throws SelectorError
 */
export function parseSelector(text: string): Selector {
  if (text.length > MAX_SELECTOR_LENGTH) {
    throw new SelectorError(
      `A selector has at most ${MAX_SELECTOR_LENGTH} characters; this one has ${text.length}. Give the servers a common tag and select that, such as role=web.`,
      MAX_SELECTOR_LENGTH,
    );
  }
  return { requirements: new SelectorReader(text).readRequirements() };
}

export function matchesSelector(selector: Selector, server: SelectableServer): boolean {
  return selector.requirements.every((requirement) => matchesRequirement(requirement, server));
}

function matchesRequirement({ key, operator, values }: SelectorRequirement, server: SelectableServer): boolean {
  if (key === NAME_KEY) {
    const named = values.some((glob) => matchesGlob(glob, server.name));
    return operator === 'notin' ? !named : named;
  }
  const value = Object.hasOwn(server.tags, key) ? server.tags[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
  }
}

/**
 * Returns the canonical spelling. Parsing it returns the same selector, unless the added spaces exceed the length
 * limit.
 */
export function formatSelector(selector: Selector): string {
  return selector.requirements.map(formatRequirement).join(',');
}

function formatRequirement({ key, operator, values }: SelectorRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case 'absent':
      return `!${key}`;
    case 'in':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(', ')})`;
    case 'notin':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${values.join(', ')})`;
  }
}

/** A word ends at white space, at a control character or at a character of the selector syntax. */
const WORD_TOKEN_PATTERN = /[^\s\p{Cc},()=!<>'"]+/uy;

class SelectorReader {
  private position = 0;

  constructor(private readonly text: string) {}

  readRequirements(): SelectorRequirement[] {
    const found: SelectorRequirement[] = [];
    this.skipSpace();
    if (this.isAtEnd()) return found;
    for (;;) {
      const start = this.position;
      found.push(this.readRequirement());
      if (found.length > MAX_SELECTOR_REQUIREMENTS) {
        throw new SelectorError(`A selector has at most ${MAX_SELECTOR_REQUIREMENTS} conditions.`, start);
      }
      if (this.isAtEnd()) return found;
      if (!this.skipMark(',')) this.throwExpected('"," or the end', 'role=web,region=eu');
    }
  }

  private readRequirement(): SelectorRequirement {
    if (this.skipMark('!')) return this.readAbsence();
    const start = this.position;
    const key = this.readWord() ?? this.throwExpected('a tag', 'role=web');
    if (/[*?]/.test(key))
      this.fail(
        start,
        `The tag "${shortenText(key)}" contains a * or ?, which work only in values of name.`,
        'name=web-*',
      );
    if (this.skipMark('!=')) return this.readSingleValue(key, 'notin');
    if (this.skipMark('==') || this.skipMark('=')) return this.readSingleValue(key, 'in');
    const comparison = this.position;
    if (this.skipMark('<') || this.skipMark('>'))
      this.fail(comparison, 'Tags cannot be compared by size.', 'tier in (1, 2, 3)');
    const afterKey = this.position;
    const operator = this.readWord();
    if (operator === 'in' || operator === 'notin') return { key, operator, values: this.readValueList(key, operator) };
    if (operator !== undefined) {
      this.fail(
        afterKey,
        `Expected "=", "!=", "in", "notin" or "," after "${shortenText(key)}", found "${shortenText(operator)}".`,
        `${shortenText(key)} in (a, b)`,
      );
    }
    if (key === NAME_KEY) {
      this.fail(afterKey, 'Every server has a name. Write which one after "name".', 'name=web-*');
    }
    return { key, operator: 'exists', values: [] };
  }

  private readAbsence(): SelectorRequirement {
    const start = this.position;
    const key = this.readWord() ?? this.throwExpected('a tag after "!"', '!legacy');
    if (/[*?]/.test(key))
      this.fail(
        start,
        `The tag "${shortenText(key)}" contains a * or ?, which work only in values of name.`,
        'name!=web-*',
      );
    if (key === NAME_KEY) this.fail(start, 'Every server has a name, so "!name" matches none.', 'name!=web-*');
    const next = this.position;
    if (this.skipMark('=') || this.readWord() !== undefined) {
      this.fail(
        next,
        `"!${shortenText(key)}" must be alone and selects servers without the tag.`,
        `${shortenText(key)}!=prod`,
      );
    }
    return { key, operator: 'absent', values: [] };
  }

  private readSingleValue(key: string, operator: 'in' | 'notin'): SelectorRequirement {
    const start = this.position;
    const value = this.readValue(key);
    // As in Kubernetes, `key=` means the empty value.
    if (value === undefined && !this.isAtEnd() && this.text[this.position] !== ',') {
      this.throwExpected(`a value for "${shortenText(key)}"`, `${shortenText(key)}=web`);
    }
    if (value === undefined && key === NAME_KEY) this.fail(start, 'Expected a name or glob.', 'name=web-*');
    return { key, operator, values: [value ?? ''] };
  }

  private readValueList(key: string, operator: 'in' | 'notin'): string[] {
    const example = `${shortenText(key)} ${operator} (a, b)`;
    if (!this.skipMark('(')) this.throwExpected(`"(" after "${operator}"`, example);
    const values: string[] = [];
    do {
      values.push(this.readValue(key) ?? this.throwExpected('a value', example));
    } while (this.skipMark(','));
    if (!this.skipMark(')')) this.throwExpected('"," or ")"', example);
    return values;
  }

  private readValue(key: string): string | undefined {
    const start = this.position;
    const value = this.readWord();
    if (value !== undefined && key !== NAME_KEY && /[*?]/.test(value)) {
      this.fail(
        start,
        `* and ? work only in values of name; the tag "${shortenText(key)}" is compared literally.`,
        `${shortenText(key)} in (web, db)`,
      );
    }
    return value;
  }

  private readWord(): string | undefined {
    WORD_TOKEN_PATTERN.lastIndex = this.position;
    const word = WORD_TOKEN_PATTERN.exec(this.text)?.[0];
    if (word === undefined) return undefined;
    this.position += word.length;
    this.skipSpace();
    return word;
  }

  private skipMark(mark: string): boolean {
    if (!this.text.startsWith(mark, this.position)) return false;
    this.position += mark.length;
    this.skipSpace();
    return true;
  }

  private skipSpace(): void {
    while (/\s/.test(this.text.charAt(this.position))) this.position++;
  }

  private isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  private throwExpected(what: string, example: string): never {
    const found = this.isAtEnd()
      ? 'the end'
      : JSON.stringify(String.fromCodePoint(this.text.codePointAt(this.position) ?? 0));
    return this.fail(this.position, `Expected ${what}, found ${found}.`, example);
  }

  private fail(position: number, message: string, example: string): never {
    throw new SelectorError(`${message} Character ${position + 1}. Example: ${example}`, position);
  }
}

/**
 * Parses a selector from a request, and rejects unknown facts: they would silently match no server. For stored
 * selectors use `parseSelector`.
 * @throws SelectorError
 */
export function parseNewSelector(text: string): Selector {
  const selector = parseSelector(text);
  for (const { key } of selector.requirements) {
    if (!key.startsWith(FACT_PREFIX)) continue;
    const name = key.slice(FACT_PREFIX.length);
    if ((USABLE_FACTS as readonly string[]).includes(name)) continue;
    const advice = suggestName(name, USABLE_FACTS, 'fact');
    const position = text.indexOf(key);
    throw new SelectorError(`There is no fact "${shortenText(name)}". ${advice} Character ${position + 1}.`, position);
  }
  return selector;
}

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
