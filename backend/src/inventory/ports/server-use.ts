import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';

export interface OpenRun {
  id: string;
  planName: string;
  /** `planned`: waits for its start time; `queued`: waits for guard keys. */
  state: 'planned' | 'queued' | 'other';
  startAt: Date | null;
}

/** Unfinished runs that target a server: visible ones, and the number of hidden ones. */
export interface OpenRunsOn {
  seen: readonly OpenRun[];
  hidden: number;
}

export interface ServerUse {
  inOpenRuns(tx: EntityManager, tenantId: string, serverIds: readonly string[]): Promise<Set<string>>;
  /** Returns the unfinished runs by server. Servers without such runs are left out. */
  openRunsOn(tx: EntityManager, caller: Principal, serverIds: readonly string[]): Promise<Map<string, OpenRunsOn>>;
  /**
   * Returns the servers to which a run signs in with one of these keys, if the run is unfinished or its result there is
   * unknown.
   */
  signedInWith(tx: EntityManager, tenantId: string, keyIds: readonly string[]): Promise<string[]>;
}

/** Injection token of `ServerUse`, which the module `executions` implements. */
export const SERVER_USE = Symbol('server-use');
