import { type Deadline, deadlineIn } from '../../../transport/listening-time.js';
import type { CommandResult, RunningCommand } from '../../../transport/remote-command.js';
import type { StopCause } from '../progress/host-outcome.js';
import type { StepControl } from '../step/step-control.js';

/** Time for a stopped command to end gracefully, in ms. */
const POLITE_MS = 10_000;
/** Time after all attempts to stop a command before it is abandoned, in ms. */
const GIVE_UP_MS = 5_000;

/** The command continues without this worker: the host keeps a journal of it, and the next worker attaches. */
export const DETACHED = Symbol('detached');
export type Detached = typeof DETACHED;

/** Why and since when a command was stopped; kept over a lost connection. */
export interface Stopped {
  cause: StopCause;
  /** By `performance.now`. */
  at: number;
}

/** Waits for the end of one command, and stops it when it takes too long or the run is stopped. */
export class CommandWatch {
  constructor(
    private readonly control: StepControl,
    private readonly giveUp: () => void,
  ) {}

  /**
   * @param msLeft time limit from its start, or from now when it was started before
   * @param previousStop previous stop of the command; is sent again immediately
   * @returns what was observed, or DETACHED; and the stop that was sent
   */
  async observe(
    command: RunningCommand,
    msLeft: number,
    previousStop: Stopped | null,
  ): Promise<{ result: CommandResult | Detached; stopped: Stopped | null }> {
    let stopped = previousStop;
    const stop = (cause: StopCause): void => {
      // An exited command ended in time, even if it left processes behind.
      if (stopped || (cause === 'step_timeout' && command.exited)) return;
      stopped = { cause, at: performance.now() };
      void this.end(command);
    };
    if (stopped) void this.end(command);
    const stopListening = this.control.onStop(stop);
    let deadline: Deadline | undefined;
    let over = false;
    void command.started.then((started) => {
      if (started && !over) deadline = deadlineIn(msLeft, () => stop('step_timeout'));
    });
    try {
      const result = await Promise.race([command.result, this.whenDetached(command)]);
      return { result, stopped };
    } finally {
      over = true;
      deadline?.cancel();
      stopListening();
    }
  }

  private whenDetached(command: RunningCommand): Promise<Detached> {
    const { detached } = this.control;
    return new Promise((resolve) => {
      const detach = (): void => {
        void command.started.then(() => command.journaled && resolve(DETACHED));
      };
      if (detached.aborted) detach();
      else detached.addEventListener('abort', detach, { once: true });
      void command.result.then(
        () => detached.removeEventListener('abort', detach),
        () => detached.removeEventListener('abort', detach),
      );
    });
  }

  private async end(command: RunningCommand): Promise<void> {
    await command.terminate(POLITE_MS).catch(() => undefined);
    const deadline = deadlineIn(GIVE_UP_MS, this.giveUp);
    await command.result.catch(() => undefined);
    deadline.cancel();
  }
}
