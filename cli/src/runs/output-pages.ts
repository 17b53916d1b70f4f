import { requireAnswer, type Schemas } from '../client/api.ts';
import type { Session } from '../client/session.ts';

const LINES_PER_PAGE = 2000;

/** Yields the stored lines of output, page by page. */
export async function* streamOutputLines(
  { api }: Session,
  id: string,
  filters: { serverId?: string; stepKey?: string; stream?: 'stdout' | 'stderr'; q?: string },
): AsyncGenerator<Schemas['OutputLineView'], void> {
  let after: string | null = null;
  do {
    const query: typeof filters & { limit: number; after?: string } = {
      ...filters,
      limit: LINES_PER_PAGE,
      ...(after ? { after } : {}),
    };
    const page: Schemas['OutputView'] = await requireAnswer(
      api.GET('/api/executions/{id}/output', { params: { path: { id }, query } }),
    );
    yield* page.items;
    after = page.readPercent < 100 ? page.nextAfter : null;
  } while (after !== null);
}

/**
 * Yields the lines of a streamed text.
 * @throws when the text is truncated
 */
export async function* splitIntoLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
