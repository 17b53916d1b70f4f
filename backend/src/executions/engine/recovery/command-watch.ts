import { type Deadline, deadlineIn } from '../../../transport/listening-time.js';
import type { CommandResult, RunningCommand } from '../../../transport/remote-command.js';
import type { StopCause } from '../progress/host-outcome.js';
import type { StepControl } from '../step/step-control.js';

/** A command that is told to end gets this long to do so politely, in ms. */
const POLITE_MS = 10_000;
/** After everything was tried, a command that still shows no end is given up, in ms. */
const GIVE_UP_MS = 5_000;

/** The command goes on without us: the host keeps a journal of it, and the next worker attaches. */
export const DETACHED = Symbol('detached');
export type Detached = typeof DETACHED;

/** Why one command was told to end, and since when; kept over a lost connection. */
export interface Stopped {
  cause: StopCause;
  /** By `performance.now`. */
  at: number;
}

/** Waits for the end of one command, and brings it about when it takes too long or the run is stopped. */
export class CommandWatch {
  constructor(
    private readonly control: StepControl,
    private readonly giveUp: () => void,
  ) {}

  /**
   * @param msLeft how long it may run from its start, or from now on when it was started before
   * @param told what it was told before; is told at once again
   * @returns what was observed, or DETACHED; and what it was told
   */
  async observe(
    command: RunningCommand,
    msLeft: number,
    told: Stopped | null,
  ): Promise<{ result: CommandResult | Detached; stopped: Stopped | null }> {
    let stopped = told;
    const stop = (cause: StopCause): void => {
      // one that has ended did so in time, whatever it left behind
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
