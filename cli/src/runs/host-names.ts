import { requireAnswer } from '../client/api.ts';
import { computeWidth } from '../terminal/table.ts';
import type { Session } from '../client/session.ts';
import type { Run } from './run.ts';

const MAX_WIDTH = 24;

/** Names of a run's hosts. The run contains the first 500; further names are read when needed. */
export class HostNames {
  readonly #session: Session;
  readonly #names = new Map<string, string>();
  readonly #runId: string;
  #cursor: string | null;

  constructor(session: Session, run: Run) {
    this.#session = session;
    this.#runId = run.id;
    this.#cursor = run.hostsNextCursor;
    this.#take(run);
  }

  async findName(serverId: string): Promise<string> {
    while (!this.#names.has(serverId) && this.#cursor !== null) {
      const params = { path: { id: this.#runId }, query: { hostsCursor: this.#cursor } };
      const page = await requireAnswer(this.#session.api.GET('/api/executions/{id}', { params }));
      this.#cursor = page.hostsNextCursor;
      this.#take(page);
    }
    return this.#names.get(serverId) ?? serverId;
  }

  get width(): number {
    return Math.min(MAX_WIDTH, Math.max(0, ...[...this.#names.values()].map(computeWidth)));
  }

  #take({ hosts }: Run): void {
    for (const { serverId, name } of hosts) this.#names.set(serverId, name);
  }
}
