import type { Command } from 'commander';
import { usage } from '../terminal/failure.ts';
import type { Output } from '../terminal/output.ts';
import type { Page } from '../client/pages.ts';
import { addFormatOption, type CommonOptions } from './command.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

export const addLimitOption = (command: Command): Command =>
  addFormatOption(command).option(
    '--limit <n>',
    `maximum number of items (1 to ${MAX_LIMIT})`,
    parseLimit,
    DEFAULT_LIMIT,
  );

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MAX_LIMIT)
    throw usage(`--limit takes a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

export interface ListOptions extends CommonOptions {
  search?: string;
  limit: number;
}

interface Table<T> {
  what: string;
  headings: readonly string[];
  row: (item: T) => (string | null)[];
  /** Further columns of `-o wide`. */
  wide?: { headings: readonly string[]; row: (item: T) => (string | null)[] };
}

interface ListedRecord {
  id: string;
  name?: string;
}

/** Name for further commands; runs and audit entries have only an ID. */
const toName = ({ id, name }: ListedRecord): string => name ?? id;

export function printList<T extends ListedRecord>(
  out: Output,
  page: Page<T>,
  { what, wide, ...table }: Table<T>,
): void {
  if (out.isStructured) return out.record(page);
  if (page.items.length === 0) return out.note(`No ${what}.`);
  const more = out.format === 'wide' ? wide : undefined;
  if (out.format === 'name') for (const item of page.items) out.line(out.safe(toName(item)));
  else
    out.table(
      [...table.headings, ...(more?.headings ?? [])],
      page.items.map((item) => [...table.row(item), ...(more?.row(item) ?? [])]),
    );
  if (page.nextCursor !== null) out.note(`There are more ${what}. Use --limit to show them.`);
}

/** @param show prints the record for people */
export function printRecord(out: Output, record: ListedRecord, show: () => void): void {
  if (out.isStructured) out.record(record);
  else if (out.format === 'name') out.line(out.safe(toName(record)));
  else show();
}
