import type { CommandChannel } from './command-channel.js';

interface OutputTaskHooks {
  over(): boolean;
  changed(): void;
  failed(error: unknown): void;
}

/** Processes the chunks of both streams in order, one at a time. Both streams are paused meanwhile. */
export class OutputTaskQueue {
  private taking?: Promise<void>;
  private openStreams = 2;

  constructor(
    private readonly channel: CommandChannel,
    private readonly hooks: OutputTaskHooks,
  ) {}

  get isBusy(): boolean {
    return this.taking !== undefined;
  }

  get isDone(): boolean {
    return this.openStreams === 0 && !this.taking;
  }

  runTask(work: () => void | Promise<void>): void {
    if (this.hooks.over()) return;
    try {
      const pending = work();
      if (pending) {
        this.channel.pause();
        this.channel.stderr.pause();
        this.taking = pending.then(
          () => this.finishTask(),
          (error: unknown) => this.hooks.failed(error),
        );
      }
      this.hooks.changed();
    } catch (error) {
      this.hooks.failed(error);
    }
  }

  /** Queues work after the current chunk, such as the end of a stream or of a wait. */
  queueTask(work: () => void | Promise<void>, streamEnded = false): void {
    void Promise.resolve(this.taking).then(() => {
      this.runTask(work);
      if (streamEnded) this.openStreams -= 1;
      this.hooks.changed();
    });
  }

  private finishTask(): void {
    this.taking = undefined;
    this.channel.resume();
    this.channel.stderr.resume();
    this.hooks.changed();
  }
}
