import type { InstallationState } from '../common/installation/installation-state.js';
import type { InstallationWatch } from '../common/installation/installation-watch.js';

/** A worker's work while it goes on. */
export interface Work {
  end(): Promise<void>;
}

/**
 * Runs a worker's work only while the installation acts, and anew for each identity and incarnation. All work in the
 * background belongs to it, so that no job, present or future, can run in a held installation.
 */
export class WorkerShift {
  private work: { key: string; work: Work } | null = null;
  private turn: Promise<void> = Promise.resolve();
  private stopped = false;
  private unwatch: () => unknown = () => undefined;

  /** @param fail told when the work could not begin or end later on */
  constructor(
    private readonly watch: InstallationWatch,
    private readonly begin: () => Promise<Work>,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** @throws what `begin` throws */
  async start(): Promise<void> {
    this.unwatch = this.watch.onChange(() => {
      this.follow().catch(this.fail);
    });
    await this.follow();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.unwatch();
    await this.follow();
  }

  private follow(): Promise<void> {
    const next = this.turn.then(() => this.adapt());
    this.turn = next.catch(() => undefined);
    return next;
  }

  private async adapt(): Promise<void> {
    const key = this.stopped ? null : keyOf(this.watch.current);
    if (this.work && this.work.key !== key) {
      const { work } = this.work;
      this.work = null;
      await work.end();
    }
    if (key !== null) this.work ??= { key, work: await this.begin() };
  }
}

/** Null: nothing may run. */
const keyOf = ({ identity, incarnation, state }: InstallationState): string | null =>
  state === 'held' ? null : `${identity}/${incarnation}`;
