import { type Deadline, scheduleDeadline } from '../../../transport/listening-time.js';
import type { CommandResult, RunningCommand } from '../../../transport/remote-command.js';
import type { StopCause } from '../progress/host-outcome.js';
import type { StepControl } from '../step/step-control.js';

/** Time for a stopped command to end gracefully, in ms. */
const TERMINATE_WAIT_MS = 10_000;
/** Time after the last attempt to stop a command until it is abandoned, in ms. */
const KILL_WAIT_MS = 5_000;

/** The command continues without this worker. Its host keeps a journal, so the next worker can attach to it. */
export const DETACHED = Symbol('detached');
export type Detached = typeof DETACHED;

export interface StopRequest {
  cause: StopCause;
  /** In terms of `performance.now`. */
  at: number;
}

/** Waits for one command to end. Stops it when its time limit passes or the run is stopped. */
export class CommandWatch {
  constructor(
    private readonly control: StepControl,
    private readonly giveUp: () => void,
  ) {}

  /**
   * @param msLeft remaining time limit, counted from the start of the command, or from now when it started earlier
   * @param previousStop earlier stop of the command, which is sent again immediately
   * @returns what was observed, or DETACHED; and the stop that was sent
   */
  async observeCommand(
    command: RunningCommand,
    msLeft: number,
    previousStop: StopRequest | null,
  ): Promise<{ result: CommandResult | Detached; stopped: StopRequest | null }> {
    let stopped = previousStop;
    const stop = (cause: StopCause): void => {
      // An exited command has ended in time, even if processes that it left behind still run.
      if (stopped || (cause === 'step_timeout' && command.hasExited)) return;
      stopped = { cause, at: performance.now() };
      void this.endCommand(command);
    };
    if (stopped) void this.endCommand(command);
    const stopListening = this.control.onStop(stop);
    let deadline: Deadline | undefined;
    let over = false;
    void command.started.then((started) => {
      if (started && !over) deadline = scheduleDeadline(msLeft, () => stop('step_timeout'));
    });
    try {
      const result = await Promise.race([command.result, this.waitUntilDetached(command)]);
      return { result, stopped };
    } finally {
      over = true;
      deadline?.cancel();
      stopListening();
    }
  }

  private waitUntilDetached(command: RunningCommand): Promise<Detached> {
    const { detachSignal: detached } = this.control;
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

  private async endCommand(command: RunningCommand): Promise<void> {
    await command.terminate(TERMINATE_WAIT_MS).catch(() => undefined);
    const deadline = scheduleDeadline(KILL_WAIT_MS, this.giveUp);
    await command.result.catch(() => undefined);
    deadline.cancel();
  }
}
