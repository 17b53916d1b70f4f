import type { InstallationState, InstallationWatch } from '../common/installation/installation-state.js';

export interface RunningWork {
  end(): Promise<void>;
}

/**
 * Runs the work of a worker only while the installation is not held. Restarts the work if identity or incarnation
 * change. All background work belongs here, so that no job can run in a held installation.
 */
export class WorkerShift {
  private work: { key: string; work: RunningWork } | null = null;
  private turn: Promise<void> = Promise.resolve();
  private stopped = false;
  private stopWatching: () => unknown = () => undefined;

  /** @param fail called if the work can't begin or end after the start */
  constructor(
    private readonly watch: InstallationWatch,
    private readonly begin: () => Promise<RunningWork>,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** @throws error of `begin` */
  async start(): Promise<void> {
    this.stopWatching = this.watch.onChange(() => {
      this.followInstallationState().catch(this.fail);
    });
    await this.followInstallationState();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopWatching();
    await this.followInstallationState();
  }

  private followInstallationState(): Promise<void> {
    const next = this.turn.then(() => this.applyInstallationState());
    this.turn = next.catch(() => undefined);
    return next;
  }

  private async applyInstallationState(): Promise<void> {
    const key = this.stopped ? null : toStateKey(this.watch.current);
    if (this.work && this.work.key !== key) {
      const { work } = this.work;
      this.work = null;
      await work.end();
    }
    if (key !== null) this.work ??= { key, work: await this.begin() };
  }
}

/** Returns null if no work may run. */
const toStateKey = ({ identity, incarnation, state }: InstallationState): string | null =>
  state === 'held' ? null : `${identity}/${incarnation}`;
