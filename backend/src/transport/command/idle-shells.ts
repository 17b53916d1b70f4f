import { type Deadline, deadlineIn, waitAtMost } from '../listening-time.js';
import type { ResidentShell } from './resident-shell.js';

/**
 * Idle time after which a shell is closed, in ms. A login script that changes on the host takes effect after this time
 * at the latest.
 */
const IDLE_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** Keeps at most one idle shell per connection, for the next command of the same run. */
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

  of(folderId: string): ResidentShell | null {
    if (this.idle?.shell.folderId !== folderId) return null;
    const shell = this.take();
    return shell?.isOpen ? shell : null;
  }

  /** Closes the idle shell to free its session, because a host may allow few sessions. */
  async free(): Promise<void> {
    const shell = this.take();
    shell?.close();
    if (shell) await waitAtMost(CLOSE_TIMEOUT_MS, shell.closed);
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
