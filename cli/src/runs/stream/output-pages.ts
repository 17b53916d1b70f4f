import { requireAnswer, type Schemas } from '../../client/api.ts';
import type { Session } from '../../client/session.ts';

const LINES_PER_PAGE = 2000;

export interface OutputFilters {
  serverId?: string;
  stepKey?: string;
  stream?: 'stdout' | 'stderr';
  q?: string;
}

/** Yields the stored lines of output, page by page. */
export async function* readOutputPages(
  { api }: Session,
  id: string,
  filters: OutputFilters,
): AsyncGenerator<Schemas['OutputLineView'][], void> {
  let after: string | null = null;
  do {
    const query: OutputFilters & { limit: number; after?: string } = {
      ...filters,
      limit: LINES_PER_PAGE,
      ...(after ? { after } : {}),
    };
    const page: Schemas['OutputView'] = await requireAnswer(
      api.GET('/api/executions/{id}/output', { params: { path: { id }, query } }),
    );
    yield page.items;
    after = page.readPercent < 100 ? page.nextAfter : null;
  } while (after !== null);
}
