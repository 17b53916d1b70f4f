import { randomUUID } from 'node:crypto';
import { answerOf, once, type Schemas } from '../client/api.ts';
import type { Session } from '../client/session.ts';
import { EXIT, EXIT_OF_SIGNAL } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import type { Run } from './run.ts';

export type StartRequest = Schemas['StartExecutionRequest'];
export type RerunRequest = Schemas['RerunExecutionRequest'];

/**
 * Starts a run once, however often the request has to be sent: every attempt carries one key, and the service answers a
 * key that it knows with the run that it started for it.
 * @param given the key of an earlier call, whose answer was lost; null: a new one
 */
export async function startOnce(
  session: Session,
  given: string | null,
  send: (key: string, signal: AbortSignal) => Promise<Run>,
): Promise<Run> {
  const key = given ?? `runward-cli-${randomUUID()}`;
  const left = new AbortController();
  const stop = session.surroundings.onSignal((signal) => left.abort(new NotKnown(EXIT_OF_SIGNAL[signal])));
  try {
    return await send(key, left.signal);
  } catch (error) {
    const lost = error instanceof NotKnown || (error instanceof Failure && error.exitCode === EXIT.unreachable);
    if (!lost) throw error;
    const advice = [
      'Whether a run was started is not known.',
      `The same command with --idempotency-key ${key} starts it, or finds it started, within 24 hours.`,
    ];
    if (error instanceof NotKnown) {
      for (const line of advice) session.out.note(line);
      throw error;
    }
    throw new Failure({ ...error.problem, idempotencyKey: key }, error.exitCode, [...error.advice, ...advice]);
  } finally {
    stop();
  }
}

/** A signal ended the program before the start was answered. */
export class NotKnown extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('not known');
    this.name = 'NotKnown';
    this.exitCode = exitCode;
  }
}

export const start = (session: Session, key: string | null, body: StartRequest): Promise<Run> =>
  startOnce(session, key, (used, signal) =>
    answerOf(session.api.POST('/api/executions', { body, signal, ...once(used) })),
  );

export const rerun = (session: Session, key: string | null, id: string, body: RerunRequest): Promise<Run> =>
  startOnce(session, key, (used, signal) =>
    answerOf(session.api.POST('/api/executions/{id}/rerun', { params: { path: { id } }, body, signal, ...once(used) })),
  );
