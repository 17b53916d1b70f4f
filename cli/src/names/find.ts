import { EXIT } from '../terminal/exit-codes.ts';
import { type Failure, createFailure } from '../terminal/failure.ts';
import type { Page } from '../client/pages.ts';
import { findNearestNames } from './nearest.ts';

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
  list: (query: { name?: string; limit: number }) => Promise<Page<Item>>;
  describe?: (item: Item) => string;
}

const MAX_LISTED_RECORDS = 200;

/**
 * Returns the record with this ID or name.
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
  throw found.length > 1 ? ambiguousFailure(argument, kind, found) : await notFoundFailure(argument, kind);
}

function ambiguousFailure<Item extends NamedRecord>(
  argument: string,
  kind: RecordKind<Item>,
  found: readonly Item[],
): Failure {
  const each = found.map((item) => `${item.id}  ${kind.describe?.(item) ?? item.name}`);
  return createFailure(
    'ambiguous_name',
    'Ambiguous name',
    `${found.length} ${kind.what}s have the name "${argument}". Use the id of one of them:`,
    EXIT.usage,
    each,
  );
}

async function notFoundFailure<Item extends NamedRecord>(argument: string, kind: RecordKind<Item>): Promise<Failure> {
  const { items, nextCursor } = await kind.list({ limit: MAX_LISTED_RECORDS });
  const near = findNearestNames(argument, [...new Set(items.map(({ name }) => name))]);
  const advice = () => {
    if (near.length > 0) return [`Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`];
    if (items.length === 0) return [`There is no ${kind.what} that you can see.`];
    if (nextCursor !== null || items.length > 10) return [];
    return [`There is ${items.map(({ name }) => `"${name}"`).join(', ')}.`];
  };
  return createFailure(
    'unknown_name',
    'Unknown name',
    isId(argument)
      ? `There is no ${kind.what} with the id ${argument} that you can see.`
      : `There is no ${kind.what} "${argument}" that you can see.`,
    EXIT.usage,
    advice(),
  );
}
