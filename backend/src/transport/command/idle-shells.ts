import { type Deadline, scheduleDeadline, waitAtMost } from '../listening-time.js';
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

  keepShell(shell: ResidentShell): void {
    this.closeAllShells();
    const idle = { shell, deadline: scheduleDeadline(IDLE_MS, () => this.idle === idle && this.closeAllShells()) };
    this.idle = idle;
    void shell.closed.then(() => {
      if (this.idle === idle) this.takeOldestShell();
    });
  }

  takeShellOfRun(folderId: string): ResidentShell | null {
    if (this.idle?.shell.folderId !== folderId) return null;
    const shell = this.takeOldestShell();
    return shell?.isOpen ? shell : null;
  }

  /** Closes the idle shell to free its session, because a host may allow few sessions. */
  async closeOneShell(): Promise<void> {
    const shell = this.takeOldestShell();
    shell?.close();
    if (shell) await waitAtMost(CLOSE_TIMEOUT_MS, shell.closed);
  }

  closeAllShells(): void {
    this.takeOldestShell()?.close();
  }

  private takeOldestShell(): ResidentShell | null {
    const { idle } = this;
    this.idle = null;
    idle?.deadline.cancel();
    return idle?.shell ?? null;
  }
}
