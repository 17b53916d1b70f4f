import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../common/database/sql.js';

/** Maximum number of changes kept of a server. The database function `note_server_change` deletes older ones. */
const MAX_CHANGES = 200;

export interface ServerChange {
  at: Date;
  /** `state`, or the name of a fact. */
  name: string;
  before: string | null;
  after: string | null;
}

/** Returns changes of the state and the facts of a server, newest first. */
export const listServerChanges = (tx: EntityManager, tenantId: string, serverId: string): Promise<ServerChange[]> =>
  rows(
    tx,
    sql<ServerChange>`select at, name, old_value as before, new_value as after from server_changes
      where tenant_id = ${tenantId} and server_id = ${serverId} order by at desc, name limit ${MAX_CHANGES}`,
  );
