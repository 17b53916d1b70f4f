import type { EntityManager } from 'typeorm';

/** Tells who uses a server. */
export interface ServerUse {
  /** Whether a run that targets it has not finished. */
  inOpenRun(tx: EntityManager, tenantId: string, serverId: string): Promise<boolean>;
}

/** Injection token of the `ServerUse`; the room `executions` answers it. */
export const SERVER_USE = Symbol('server-use');
