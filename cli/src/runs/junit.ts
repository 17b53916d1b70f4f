import type { Session } from '../client/session.ts';
import { toFailure } from '../client/problems.ts';
import { writeFileAtomically } from '../terminal/files.ts';

export async function writeJunit({ connection, surroundings }: Session, file: string, runId: string): Promise<void> {
  const request = new Request(`${connection.options.base}/api/executions/${runId}/results`, {
    headers: { Accept: 'application/xml' },
  });
  // Reads the whole response first, so that a truncated one is requested again.
  const response = await connection.send(request, { attemptTimeoutMs: 300_000 });
  const text = await response.text();
  if (!response.ok) throw toFailure(response, text);
  await writeFileAtomically(
    file,
    surroundings,
    (async function* () {
      yield text;
    })(),
  );
}
