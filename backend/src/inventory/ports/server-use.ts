import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';

/** A run that has not finished. */
export interface OpenRun {
  id: string;
  planName: string;
  /** `planned`: it waits for its time; `queued`: for its turn. */
  state: 'planned' | 'queued' | 'other';
  startAt: Date | null;
}

/** Those that target a server: some that the caller may see, and how many others there are. */
export interface OpenRunsOn {
  seen: readonly OpenRun[];
  hidden: number;
}

/** Tells who uses servers. */
export interface ServerUse {
  /** Those of the servers that a run targets which has not finished. */
  inOpenRuns(tx: EntityManager, tenantId: string, serverIds: readonly string[]): Promise<Set<string>>;
  /** The runs behind that, by server; a server that no such run targets is not among them. */
  openRunsOn(tx: EntityManager, caller: Principal, serverIds: readonly string[]): Promise<Map<string, OpenRunsOn>>;
  /** The servers that a run which has not finished, or does not know how it ended there, signs in to with one of these keys. */
  signedInWith(tx: EntityManager, tenantId: string, keyIds: readonly string[]): Promise<string[]>;
}

/** Injection token of the `ServerUse`; the room `executions` answers it. */
export const SERVER_USE = Symbol('server-use');
