import { type Deadline, deadlineIn, listeningNow } from '../listening-time.js';

/**
 * After the exit status: how long the output may stay silent, and how long it may go on at all, before a background
 * process is taken to hold it open. Time during which we hold the host back does not count.
 */
const SILENCE_MS = 3_000;
const OUTPUT_MS = 10_000;

/** Notices that the output of a command that has ended is held open. */
export class SilenceWatch {
  private deadline?: Deadline;
  private waitingSince?: number;
  private waited = 0;

  constructor(private readonly onHeldOpen: () => void) {}

  /** To be called whenever output came, or the taking of it began or ended. */
  watch(taking: boolean): void {
    this.end();
    const now = listeningNow();
    this.waited += now - (this.waitingSince ?? now);
    this.waitingSince = taking ? undefined : now;
    if (taking) return;
    this.deadline = deadlineIn(Math.min(SILENCE_MS, OUTPUT_MS - this.waited), this.onHeldOpen);
  }

  end(): void {
    this.deadline?.cancel();
  }
}
