/** How an infinite query goes from page to page of a list. */
export const BY_CURSOR = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor ?? undefined,
};

/** Empty pages that are skipped in a row: each stands for a thousand records or so that the filters left out. */
const MOST_SKIPPED = 20;

/**
 * A page with items: where a list is filtered in ways that no index fits, a page may be empty and go on all the same.
 * @param read asks for the page at a cursor
 */
export async function filledPage<P extends { items: unknown[]; nextCursor: string | null }>(
  first: string | undefined,
  read: (cursor: string | undefined) => Promise<P>,
): Promise<P> {
  let page = await read(first);
  for (let skipped = 0; page.items.length === 0 && page.nextCursor !== null && skipped < MOST_SKIPPED; skipped += 1)
    page = await read(page.nextCursor);
  return page;
}
