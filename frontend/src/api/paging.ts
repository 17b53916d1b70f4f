export const CURSOR_PAGING = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor ?? undefined,
};

/**
 * Maximum number of consecutive empty pages to skip. Each one covers about a thousand records that the filters exclude.
 */
const MAX_SKIPPED_PAGES = 20;

/**
 * Returns the next page with items. If the filters have no index, a page can be empty although more pages follow.
 * @param read requests the page at a cursor
 */
export async function fetchNonEmptyPage<P extends { items: unknown[]; nextCursor: string | null }>(
  first: string | undefined,
  read: (cursor: string | undefined) => Promise<P>,
): Promise<P> {
  let page = await read(first);
  for (
    let skipped = 0;
    page.items.length === 0 && page.nextCursor !== null && skipped < MAX_SKIPPED_PAGES;
    skipped += 1
  )
    page = await read(page.nextCursor);
  return page;
}

/**
 * Returns the items of all pages, for select fields that find a name anywhere in the list. `nextCursor` is null if
 * these are all items.
 * @param read requests the page at a cursor
 */
export async function fetchAllPages<T, P extends { items: T[]; nextCursor: string | null }>(
  maxPages: number,
  read: (cursor: string | undefined) => Promise<P>,
): Promise<P> {
  let page = await read(undefined);
  const items = [...page.items];
  for (let pages = 1; page.nextCursor && pages < maxPages; pages += 1) {
    page = await read(page.nextCursor);
    items.push(...page.items);
  }
  return { ...page, items };
}
