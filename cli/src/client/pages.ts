export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

const MAX_PAGE_ITEMS = 200;

/** Returns up to `limit` items of a list, page by page. `nextCursor` is null after the last page. */
export async function fetchUpTo<T>(
  limit: number,
  page: (query: { limit: number; cursor?: string }) => Promise<Page<T>>,
): Promise<Page<T>> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const count = Math.min(MAX_PAGE_ITEMS, limit - items.length);
    const read: Page<T> = await page({ limit: count, ...(cursor === null ? {} : { cursor }) });
    items.push(...read.items);
    cursor = read.nextCursor;
  } while (cursor !== null && items.length < limit);
  return { items, nextCursor: cursor };
}
