import type { OpenRunsOnServer } from './server-use.js';

/** @param server name in the sentence */
export function formatOpenRuns(server: string, { seen, hidden }: OpenRunsOnServer): string {
  const [first, ...others] = seen;
  if (!first) return `A run that targets ${server} has not finished. Wait for it or cancel it first.`;
  const run = `The run ${first.id} of "${first.planName}"`;
  const more = others.length + hidden;
  const rest = more === 0 ? '' : ` So ${more === 1 ? 'does another run' : `do ${more} others`}.`;
  switch (first.state) {
    case 'planned': {
      const at = first.startAt === null ? '' : `, ${first.startAt.toISOString()}`;
      return `${run} waits for its time${at}, and targets ${server}.${rest} Cancel it to free the server.`;
    }
    case 'queued':
      return `${run} waits for its turn, and targets ${server}.${rest} Cancel it to free the server.`;
    case 'other':
      return `${run} has not finished, and targets ${server}.${rest} Wait for it, or cancel it to free the server.`;
  }
}
