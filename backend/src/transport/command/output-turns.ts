import type { CommandChannel } from './command-channel.js';

interface TurnHooks {
  over(): boolean;
  changed(): void;
  failed(error: unknown): void;
}

/** Processes the chunks of both streams in order, one at a time. Both streams are paused meanwhile. */
export class OutputTurns {
  private taking?: Promise<void>;
  private openStreams = 2;

  constructor(
    private readonly channel: CommandChannel,
    private readonly hooks: TurnHooks,
  ) {}

  get busy(): boolean {
    return this.taking !== undefined;
  }

  get done(): boolean {
    return this.openStreams === 0 && !this.taking;
  }

  take(work: () => void | Promise<void>): void {
    if (this.hooks.over()) return;
    try {
      const pending = work();
      if (pending) {
        this.channel.pause();
        this.channel.stderr.pause();
        this.taking = pending.then(
          () => this.taken(),
          (error: unknown) => this.hooks.failed(error),
        );
      }
      this.hooks.changed();
    } catch (error) {
      this.hooks.failed(error);
    }
  }

  /** Queues work after the current chunk, such as the end of a stream or of a wait. */
  inTurn(work: () => void | Promise<void>, streamEnded = false): void {
    void Promise.resolve(this.taking).then(() => {
      this.take(work);
      if (streamEnded) this.openStreams -= 1;
      this.hooks.changed();
    });
  }

  private taken(): void {
    this.taking = undefined;
    this.channel.resume();
    this.channel.stderr.resume();
    this.hooks.changed();
  }
}
