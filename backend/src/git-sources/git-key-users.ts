import { rows, sql } from '../common/database/sql.js';
import type { GitKeyUse } from '../keys/key-use.js';

/** At most twenty sources per key. */
export const gitKeyUsers: GitKeyUse = async (tx, tenantId, keyIds) => {
  const users = await rows(
    tx,
    // The condition excludes null; the cast tells the checker so.
    sql<{ key_id: string; first: { id: string; name: string }[] }>`select ssh_key_id::text as key_id,
        (array_agg(json_build_object('id', id, 'name', name) order by lower(name)))[1:20] as first
      from git_sources where tenant_id = ${tenantId} and ssh_key_id = any (${keyIds}) group by ssh_key_id`,
  );
  return new Map(users.map(({ key_id, first }) => [key_id, first]));
};
