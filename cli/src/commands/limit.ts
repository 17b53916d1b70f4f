import type { Command } from 'commander';
import { usage } from '../terminal/failure.ts';
import type { Output } from '../terminal/output.ts';
import type { Page } from '../client/pages.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

export const addLimitOption = (command: Command): Command =>
  command.option('--limit <n>', `maximum number of items (1 to ${MAX_LIMIT})`, parseLimit, DEFAULT_LIMIT);

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MAX_LIMIT)
    throw usage(`--limit takes a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

export function printList<T>(
  out: Output,
  page: Page<T>,
  { what, headings, row }: { what: string; headings: readonly string[]; row: (item: T) => (string | null)[] },
): void {
  if (out.json) return out.record(page);
  if (page.items.length === 0) return out.note(`No ${what}.`);
  out.table(headings, page.items.map(row));
  if (page.nextCursor !== null) out.note(`There are more ${what}. Use --limit to show them.`);
}
