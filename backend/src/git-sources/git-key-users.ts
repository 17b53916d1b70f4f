import type { GitKeyUse } from '../keys/key-use.js';

/** At most twenty sources per key. */
export const gitKeyUsers: GitKeyUse = async (tx, tenantId, keyIds) => {
  const rows = await tx.query<{ key_id: string; first: { id: string; name: string }[] }[]>(
    `select ssh_key_id as key_id, (array_agg(json_build_object('id', id, 'name', name) order by lower(name)))[1:20] as first
      from git_sources where tenant_id = $1 and ssh_key_id = any ($2) group by ssh_key_id`,
    [tenantId, keyIds],
  );
  return new Map(rows.map(({ key_id, first }) => [key_id, first]));
};
