import { rows, sql } from '../../common/database/sql.js';
import { isInVisibleEnvironmentSql } from '../../environments/environments.sql.js';
import type { KeyUse } from '../../keys/key-use.js';
import { requireKeyRights } from './key-rights.js';

interface KeyUsersRow {
  key_id: string;
  seen: number;
  hidden: number;
  first: { id: string; name: string }[] | null;
}

export const keyUsers: KeyUse = {
  requireRights: (tx, caller, keyId) =>
    requireKeyRights(
      tx,
      caller,
      { keyId, approve: false },
      'the key is unchanged: changing it needs the grant "run" in the environment of every server that signs in with it.',
    ),

  async findUsage(tx, caller, keyIds) {
    const ids = sql.value(keyIds);
    const found = await rows(
      tx,
      sql<KeyUsersRow>`select u.ssh_key_id as key_id, (count(*) filter (where u.seen))::int as seen, (count(*) filter (where not u.seen))::int as hidden,
          (array_agg(json_build_object('id', u.id, 'name', u.name) order by u.name) filter (where u.seen))[1:20] as first
        from (select s.id, s.name, s.ssh_key_id, ${isInVisibleEnvironmentSql(sql.raw('s'), caller)} as seen
          from servers s where s.tenant_id = ${caller.tenantId} and s.ssh_key_id = any (${ids})) u
        group by u.ssh_key_id`,
    );
    const rotations = await rows(
      tx,
      sql<{
        id: string;
        old_key_id: string | null;
        new_key_id: string | null;
      }>`select id, old_key_id, new_key_id from key_rotations
        where tenant_id = ${caller.tenantId} and finished_at is null
          and (old_key_id = any (${ids}) or new_key_id = any (${ids}))`,
    );
    const users = new Map(found.map((used) => [used.key_id, used]));
    const rotating = new Map(
      rotations.flatMap(({ id, old_key_id, new_key_id }) =>
        [old_key_id, new_key_id].flatMap((keyId) => (keyId === null ? [] : [[keyId, id] as const])),
      ),
    );
    return new Map(
      [...new Set([...users.keys(), ...rotating.keys()])].map((id) => {
        const { first, seen = 0, hidden = 0 } = users.get(id) ?? {};
        const used = { usedBy: first ?? [], usedByCount: seen, hiddenCount: hidden };
        return [id, { ...used, rotationId: rotating.get(id) ?? null }];
      }),
    );
  },
};
