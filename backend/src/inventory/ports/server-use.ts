import type { EntityManager } from 'typeorm';

/** Tells who uses servers. */
export interface ServerUse {
  /** Those of the servers that a run targets which has not finished. */
  inOpenRuns(tx: EntityManager, tenantId: string, serverIds: readonly string[]): Promise<Set<string>>;
  /** The servers that a run which has not finished, or does not know how it ended there, signs in to with one of these keys. */
  signedInWith(tx: EntityManager, tenantId: string, keyIds: readonly string[]): Promise<string[]>;
}

/** Injection token of the `ServerUse`; the room `executions` answers it. */
export const SERVER_USE = Symbol('server-use');
