import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';

export interface OpenRun {
  id: string;
  planName: string;
  /** `planned`: the run waits for its start time; `queued`: it waits for guard keys. */
  state: 'planned' | 'queued' | 'other';
  startAt: Date | null;
}

export interface OpenRunsOnServer {
  seen: readonly OpenRun[];
  hidden: number;
}

export interface ServerUse {
  findServersInOpenRuns(tx: EntityManager, tenantId: string, serverIds: readonly string[]): Promise<Set<string>>;
  /** Returns the unfinished runs by server id. A server without such runs has no entry. */
  findOpenRunsOn(
    tx: EntityManager,
    caller: Principal,
    serverIds: readonly string[],
  ): Promise<Map<string, OpenRunsOnServer>>;
  /**
   * Returns ids of servers to which a run signs in with one of these keys, if the run is unfinished or has an unknown
   * result there.
   */
  findServersSignedInWith(tx: EntityManager, tenantId: string, keyIds: readonly string[]): Promise<string[]>;
}

export const SERVER_USE = Symbol('server-use');
