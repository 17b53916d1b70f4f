import { EXIT } from '../terminal/exit-codes.ts';
import { type Failure, createFailure, usage } from '../terminal/failure.ts';
import { fetchUpTo, type Page } from '../client/pages.ts';
import { findNearestNames } from './nearest.ts';
import { ambiguousFailure, endsWithShortId, isShortId } from './short-id.ts';

const ID_PATTERN = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export const isId = (text: string): boolean => ID_PATTERN.test(text);

interface NamedRecord {
  id: string;
  name: string;
}

export interface RecordKind<Item extends NamedRecord> {
  what: string;
  byId: (id: string) => Promise<Item | null>;
  /** Lists records with this name, ignoring case. Without a name, lists the first records, for suggestions. */
  list: (query: { name?: string; limit: number; cursor?: string }) => Promise<Page<Item>>;
  describe?: (item: Item) => string;
}

const MAX_LISTED_RECORDS = 200;
/** Maximum number of records whose IDs are compared with a short ID. */
const MAX_COMPARED_RECORDS = 5000;

/**
 * Returns the record with this ID, name or end of its ID.
 * @throws Failure with the nearest names
 */
export async function findRecord<Item extends NamedRecord>(argument: string, kind: RecordKind<Item>): Promise<Item> {
  if (isId(argument)) {
    const item = await kind.byId(argument.toLowerCase());
    if (item !== null) return item;
  }
  const { items } = await kind.list({ name: argument, limit: MAX_LISTED_RECORDS });
  const same = items.filter(({ name }) => name === argument);
  const found = same.length > 0 ? same : items;
  const [item] = found;
  if (item !== undefined && found.length === 1) return item;
  if (found.length > 1) throw ambiguous(`${found.length} ${kind.what}s have the name "${argument}"`, kind, found);
  return (isShortId(argument) ? await findByShortId(argument, kind) : null) ?? throwNotFound(argument, kind);
}

async function findByShortId<Item extends NamedRecord>(argument: string, kind: RecordKind<Item>): Promise<Item | null> {
  const { items, nextCursor } = await fetchUpTo(MAX_COMPARED_RECORDS, (query) => kind.list(query));
  const found = items.filter(({ id }) => endsWithShortId(id, argument));
  if (found.length > 1)
    throw ambiguous(`${found.length} ${kind.what}s have an id that ends with ${argument}`, kind, found);
  if (nextCursor !== null)
    throw usage(`There are too many ${kind.what}s to find one by the end of its id. Use the name or the whole id.`);
  return found[0] ?? null;
}

const ambiguous = <Item extends NamedRecord>(text: string, kind: RecordKind<Item>, found: readonly Item[]): Failure =>
  ambiguousFailure(
    `${text}. Use the id of one of them:`,
    found.map((item) => `${item.id}  ${kind.describe?.(item) ?? item.name}`),
  );

async function throwNotFound<Item extends NamedRecord>(argument: string, kind: RecordKind<Item>): Promise<never> {
  const { items } = await kind.list({ limit: MAX_LISTED_RECORDS });
  const near = findNearestNames(argument, [...new Set(items.map(({ name }) => name))]);
  const advice = () => {
    if (near.length > 0) return [`Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`];
    if (items.length === 0) return [`There is no ${kind.what} that you can see.`];
    return [];
  };
  throw createFailure(
    'unknown_name',
    'Unknown name',
    isId(argument)
      ? `There is no ${kind.what} with the id ${argument} that you can see.`
      : `There is no ${kind.what} "${argument}" that you can see.`,
    EXIT.usage,
    advice(),
  );
}
