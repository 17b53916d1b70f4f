import { type Api, requireAnswer } from '../client/api.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createFailure, usage } from '../terminal/failure.ts';
import { isId } from './find.ts';
import { ambiguousFailure, endsWithShortId, isShortId } from './short-id.ts';

const MAX_CANDIDATES = 10;

/** Returns the ID in an argument; null = the argument is the end of an ID. */
export function parseRunId(argument: string): string | null {
  const text = /\/executions\/([0-9a-f-]{36})(?:[/?#]|$)/i.exec(argument)?.[1] ?? argument;
  if (isId(text)) return text.toLowerCase();
  if (isShortId(text)) return null;
  throw usage(
    `"${argument}" is not a run: use its id, at least the last 8 characters of its id, or the address of its page. \`runward run list\` shows runs.`,
  );
}

/**
 * Returns the ID of the run with this ID, end of ID or address.
 * @throws Failure with the candidates if several runs match
 */
export async function findRunId({ api }: { api: Api }, argument: string): Promise<string> {
  const id = parseRunId(argument);
  if (id !== null) return id;
  const query = { q: argument, limit: MAX_CANDIDATES };
  const { items } = await requireAnswer(api.GET('/api/executions', { params: { query } }));
  const found = items.filter((run) => endsWithShortId(run.id, argument));
  const [run] = found;
  if (found.length > 1)
    throw ambiguousFailure(
      `Several runs have an id that ends with ${argument}. Use the id of one of them:`,
      found.map(({ id: each, planName, createdAt }) => `${each}  ${planName}, ${createdAt}`),
    );
  if (run === undefined)
    throw createFailure(
      'unknown_name',
      'Unknown name',
      `There is no run with an id that ends with ${argument} that you can see.`,
      EXIT.usage,
    );
  return run.id;
}
