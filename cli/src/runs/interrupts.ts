import { requireAnswer, createIdempotencyHeaders } from '../client/api.ts';
import type { Session } from '../client/session.ts';
import { EXIT_CODE_BY_SIGNAL, type EndingSignal } from '../terminal/exit-codes.ts';
import { Failure } from '../terminal/failure.ts';

/** The user stopped following. The run continues. */
export class StoppedFollowing extends Error {
  readonly exitCode: number;

  constructor(signal: EndingSignal) {
    super('left');
    this.name = 'Left';
    this.exitCode = EXIT_CODE_BY_SIGNAL[signal];
  }
}

/** Handles Ctrl-C while a run is followed: asks the user on a terminal, otherwise stops following. */
export class Interrupts {
  readonly #session: Session;
  readonly #runId: string;
  readonly #onInterrupt: 'leave' | 'cancel';
  readonly #left = new AbortController();
  readonly #stop: () => void;
  #asking: Promise<void> | null = null;
  #question = new AbortController();
  /** True = a cancellation was requested, so wait for the end of the run and not for its next pause. */
  cancelling = false;

  constructor(session: Session, runId: string, onInterrupt: 'leave' | 'cancel' = 'leave') {
    this.#onInterrupt = onInterrupt;
    this.#session = session;
    this.#runId = runId;
    this.#stop = session.surroundings.onSignal((signal) => this.#hear(signal));
  }

  /** Aborted with `StoppedFollowing` when the user stops following. */
  get signal(): AbortSignal {
    return this.#left.signal;
  }

  async quiet(): Promise<void> {
    await this.#asking;
  }

  end(): void {
    this.#stop();
    this.#question.abort();
  }

  #hear(signal: EndingSignal): void {
    const { stdin, stderr } = this.#session.surroundings;
    const isTerminal = stdin.isTTY && stderr.isTTY;
    if (!isTerminal && this.#onInterrupt === 'cancel' && this.#asking === null && !this.cancelling) {
      this.#asking = this.#cancel()
        .catch((error: unknown) => this.#left.abort(error))
        .finally(() => (this.#asking = null));
      return;
    }
    if (signal !== 'SIGINT' || !isTerminal || this.#asking !== null) return this.#leave(signal);
    this.#question = new AbortController();
    this.#asking = this.#ask()
      .catch((error: unknown) => this.#left.abort(error))
      .finally(() => (this.#asking = null));
  }

  async #ask(): Promise<void> {
    const { out, surroundings } = this.#session;
    for (;;) {
      const question = out.question('\nCancel the run? [y]es, [n]o, keep watching, [l]eave the run running: ');
      const answer = await surroundings.stdin.readLine(question, { signal: this.#question.signal });
      const word = answer?.trim().toLowerCase();
      if (word === undefined || 'leave'.startsWith(word || ' ')) return this.#leave('SIGINT');
      if ('no'.startsWith(word || ' ')) return;
      if ('yes'.startsWith(word || ' ')) return this.#cancel();
    }
  }

  async #cancel(): Promise<void> {
    const { api, out } = this.#session;
    try {
      const params = { path: { id: this.#runId } };
      const body = { reason: 'Cancelled by Ctrl-C at the command line' };
      await requireAnswer(api.POST('/api/executions/{id}/cancel', { params, body, ...createIdempotencyHeaders() }));
      this.cancelling = true;
      out.note('The run is being cancelled.');
    } catch (error) {
      // If the run ended during the request, its result is reported as usual.
      if (error instanceof Failure) out.failure(error);
      else throw error;
    }
  }

  #leave(signal: EndingSignal): void {
    this.#question.abort();
    if (!this.cancelling) this.#session.out.note(`The run continues. Follow it: runward run follow ${this.#runId}`);
    this.#left.abort(new StoppedFollowing(signal));
  }
}
