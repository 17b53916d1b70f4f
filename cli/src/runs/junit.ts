import type { Session } from '../client/session.ts';
import { failureOf } from '../client/problems.ts';
import { writeWhole } from '../terminal/files.ts';

/** The results of a run as a JUnit report, written whole or not at all. */
export async function writeJunit({ connection, surroundings }: Session, file: string, runId: string): Promise<void> {
  const request = new Request(`${connection.options.base}/api/executions/${runId}/results`, {
    headers: { Accept: 'application/xml' },
  });
  // As a whole: one that is cut is asked for again.
  const response = await connection.send(request, { attemptMs: 300_000 });
  const text = await response.text();
  if (!response.ok) throw failureOf(response, text);
  await writeWhole(
    file,
    surroundings,
    (async function* () {
      yield text;
    })(),
  );
}
