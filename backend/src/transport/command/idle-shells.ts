import { type Deadline, deadlineIn, endsWithin } from '../listening-time.js';
import type { ResidentShell } from './resident-shell.js';

/**
 * So long a shell waits for the next command, in ms. A person who changes the login scripts of a host between two steps
 * finds them read by the next one.
 */
const IDLE_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** The shell of a connection that waits for the next command of its run; one at the most. */
export class IdleShells {
  private idle: { shell: ResidentShell; deadline: Deadline } | null = null;

  keep(shell: ResidentShell): void {
    this.drop();
    const idle = { shell, deadline: deadlineIn(IDLE_MS, () => this.idle === idle && this.drop()) };
    this.idle = idle;
    void shell.closed.then(() => {
      if (this.idle === idle) this.take();
    });
  }

  /** @returns a shell that starts commands of this run; it is the caller's */
  of(folderId: string): ResidentShell | null {
    if (this.idle?.shell.folderId !== folderId) return null;
    const shell = this.take();
    return shell?.isOpen ? shell : null;
  }

  /** Gives back the session that a shell takes on its host, which may allow few. */
  async free(): Promise<void> {
    const shell = this.take();
    shell?.close();
    if (shell) await endsWithin(CLOSE_TIMEOUT_MS, shell.closed);
  }

  drop(): void {
    this.take()?.close();
  }

  private take(): ResidentShell | null {
    const { idle } = this;
    this.idle = null;
    idle?.deadline.cancel();
    return idle?.shell ?? null;
  }
}
