import { randomUUID } from 'node:crypto';
import { requireAnswer, createIdempotencyHeaders, type Schemas } from '../client/api.ts';
import type { Session } from '../client/session.ts';
import { EXIT, EXIT_CODE_BY_SIGNAL } from '../terminal/exit-codes.ts';
import { Failure } from '../terminal/failure.ts';
import type { Run } from './run.ts';

export type StartRequest = Schemas['StartExecutionRequest'];
export type RerunRequest = Schemas['RerunExecutionRequest'];

/**
 * Starts a run exactly once, even if the request is repeated. Every attempt carries the same key, and the service
 * answers a known key with the run that it started for it.
 * @param given key of an earlier call whose response was lost; null = a new key
 */
export async function startOnce(
  session: Session,
  given: string | null,
  send: (key: string, signal: AbortSignal) => Promise<Run>,
  startAt?: string | null,
): Promise<Run> {
  const key = given ?? `runward-cli-${randomUUID()}`;
  const left = new AbortController();
  const stop = session.surroundings.onSignal((signal) =>
    left.abort(new UnknownStartError(EXIT_CODE_BY_SIGNAL[signal])),
  );
  try {
    return await send(key, left.signal);
  } catch (error) {
    const lost =
      error instanceof UnknownStartError || (error instanceof Failure && error.exitCode === EXIT.unreachable);
    if (!lost) throw error;
    const advice = [
      'It is unknown whether a run was started.',
      // A delay such as 2h would give another time, and the service refuses the key for a different request.
      `Repeat the command with --idempotency-key ${key}${startAt ? ` --start-at ${startAt}` : ''} within 24 hours: it returns the run if it was started, or starts it.`,
    ];
    if (error instanceof UnknownStartError) {
      for (const line of advice) session.out.note(line);
      throw error;
    }
    throw new Failure({ ...error.problem, idempotencyKey: key }, error.exitCode, [...error.advice, ...advice]);
  } finally {
    stop();
  }
}

/** A signal ended the program before the response to the start arrived. */
export class UnknownStartError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('not known');
    this.name = 'NotKnown';
    this.exitCode = exitCode;
  }
}

export const startRun = (session: Session, key: string | null, body: StartRequest): Promise<Run> =>
  startOnce(
    session,
    key,
    (used, signal) =>
      requireAnswer(session.api.POST('/api/executions', { body, signal, ...createIdempotencyHeaders(used) })),
    body.startAt,
  );

export const rerunRun = (session: Session, key: string | null, id: string, body: RerunRequest): Promise<Run> =>
  startOnce(
    session,
    key,
    (used, signal) =>
      requireAnswer(
        session.api.POST('/api/executions/{id}/rerun', {
          params: { path: { id } },
          body,
          signal,
          ...createIdempotencyHeaders(used),
        }),
      ),
    body.startAt,
  );
