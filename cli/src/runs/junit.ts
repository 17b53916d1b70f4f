import type { Session } from '../client/session.ts';
import { failureOf } from '../client/problems.ts';
import { writeFileAtomically } from '../terminal/files.ts';

/** Writes the results of a run as a JUnit report, atomically. */
export async function writeJunit({ connection, surroundings }: Session, file: string, runId: string): Promise<void> {
  const request = new Request(`${connection.options.base}/api/executions/${runId}/results`, {
    headers: { Accept: 'application/xml' },
  });
  // Read as a whole, so that a truncated response is requested again.
  const response = await connection.send(request, { attemptTimeoutMs: 300_000 });
  const text = await response.text();
  if (!response.ok) throw failureOf(response, text);
  await writeFileAtomically(
    file,
    surroundings,
    (async function* () {
      yield text;
    })(),
  );
}
