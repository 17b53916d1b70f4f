import { isInVisibleEnvironment } from '../../environments/visible-environment.js';
import type { KeyUse } from '../../keys/key-use.js';
import { requireKeyRights } from './key-rights.js';

export const keyUsers: KeyUse = {
  requireRights: (tx, caller, keyId) =>
    requireKeyRights(
      tx,
      caller,
      { keyId, approve: false },
      'the key is unchanged: changing it needs the grant "run" in the environment of every server that signs in with it.',
    ),

  async of(tx, caller, keyIds) {
    const rows = await tx.query<
      { key_id: string; seen: number; hidden: number; first: { id: string; name: string }[] | null }[]
    >(
      `select u.ssh_key_id as key_id, (count(*) filter (where u.seen))::int as seen, (count(*) filter (where not u.seen))::int as hidden,
          (array_agg(json_build_object('id', u.id, 'name', u.name) order by u.name) filter (where u.seen))[1:20] as first
        from (select s.id, s.name, s.ssh_key_id, ${isInVisibleEnvironment('s', { role: '$3', user: '$4', limits: '$5' })} as seen
          from servers s where s.tenant_id = $1 and s.ssh_key_id = any ($2)) u
        group by u.ssh_key_id`,
      [caller.tenantId, keyIds, caller.role, caller.userId, caller.limits],
    );
    const rotations = await tx.query<{ id: string; old_key_id: string; new_key_id: string }[]>(
      `select id, old_key_id, new_key_id from key_rotations
        where tenant_id = $1 and finished_at is null and (old_key_id = any ($2) or new_key_id = any ($2))`,
      [caller.tenantId, keyIds],
    );
    const users = new Map(rows.map((row) => [row.key_id, row]));
    const rotating = new Map(
      rotations.flatMap(({ id, old_key_id, new_key_id }) => [[old_key_id, id] as const, [new_key_id, id] as const]),
    );
    return new Map(
      [...new Set([...users.keys(), ...rotating.keys()])].map((id) => {
        const row = users.get(id);
        const used = { usedBy: row?.first ?? [], usedByCount: row?.seen ?? 0, hiddenCount: row?.hidden ?? 0 };
        return [id, { ...used, rotationId: rotating.get(id) ?? null }];
      }),
    );
  },
};
