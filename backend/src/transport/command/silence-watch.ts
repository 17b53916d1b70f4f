import { type Deadline, scheduleDeadline, getListeningTimeMs } from '../listening-time.js';

/**
 * Limits after the exit status, in ms: silence, and total duration of further output. Beyond them, Runward assumes that
 * a background process keeps the output open. Time in which Runward pauses the host does not count.
 */
const SILENCE_TIMEOUT_MS = 3_000;
const OUTPUT_SILENCE_TIMEOUT_MS = 10_000;

export class SilenceWatch {
  private deadline?: Deadline;
  private waitingSince?: number;
  private waited = 0;

  constructor(private readonly onHeldOpen: () => void) {}

  /** Call when output arrives, and when its processing starts or ends. */
  watch(taking: boolean): void {
    this.end();
    const now = getListeningTimeMs();
    this.waited += now - (this.waitingSince ?? now);
    this.waitingSince = taking ? undefined : now;
    if (taking) return;
    this.deadline = scheduleDeadline(
      Math.min(SILENCE_TIMEOUT_MS, OUTPUT_SILENCE_TIMEOUT_MS - this.waited),
      this.onHeldOpen,
    );
  }

  end(): void {
    this.deadline?.cancel();
  }
}
