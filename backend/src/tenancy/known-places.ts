import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { networkOf } from '../common/http/limits/network-of.js';

export interface Place {
  device: Buffer | null;
  network: Buffer;
}

/** How a place is known. A device is stronger evidence than a network, which other users may share. */
type PlaceKind = 'device' | 'network';

/** Days after the last sign-in at which a known place is deleted. */
const RETENTION_DAYS: Record<PlaceKind, number> = { device: 180, network: 30 };
const MAX_PLACES = 20;

export const placeOf = (address: string, device: Buffer | null): Place => ({
  device,
  network: createHash('sha256')
    .update(`network\n${networkOf(address)}`)
    .digest(),
});

/** Returns SQL for how a member knows the place: by `device` or `network`, compared by hash; null = unknown. */
export const knownBySql = (userId: string, device: string, network: string): string => `(
  select p.kind || ' ' || encode(p.key, 'hex') from known_places p where p.user_id = ${userId} and (
    (p.kind = 'device' and p.key = ${device} and p.last_used_at > now() - interval '${RETENTION_DAYS.device} days')
    or (p.kind = 'network' and p.key = ${network} and p.last_used_at > now() - interval '${RETENTION_DAYS.network} days')
  ) order by p.kind limit 1)`;

/** Records a place after a successful sign-in. If there are too many, deletes places that were used only once first. */
export async function rememberPlace(tx: EntityManager, userId: string, place: Place): Promise<void> {
  const keys: [PlaceKind, Buffer | null][] = [
    ['device', place.device],
    ['network', place.network],
  ];
  for (const [kind, key] of keys) {
    if (!key) continue;
    await tx.query(
      `insert into known_places (user_id, kind, key) values ($1, $2, $3)
        on conflict (user_id, kind, key) do update set returned = true, last_used_at = now()`,
      [userId, kind, key],
    );
    await tx.query(
      `delete from known_places where user_id = $1 and kind = $2 and key <> $3 and (
          last_used_at < now() - make_interval(days => $4)
          or key in (select key from known_places where user_id = $1 and kind = $2 and key <> $3
            order by returned desc, last_used_at desc offset $5))`,
      [userId, kind, key, RETENTION_DAYS[kind], MAX_PLACES - 1],
    );
  }
  await sweepPlaces(tx);
}

async function sweepPlaces(tx: EntityManager): Promise<void> {
  await tx.query(
    `delete from known_places where (user_id, kind, key) in (select user_id, kind, key from known_places
      where last_used_at < now() - make_interval(days => $1) limit 100 for update skip locked)`,
    [RETENTION_DAYS.device],
  );
}

export async function forgetPlaces(tx: EntityManager, userId: string, excludedPlace: Place | null): Promise<void> {
  await tx.query('delete from known_places where user_id = $1 and key <> all($2)', [
    userId,
    [excludedPlace?.device, excludedPlace?.network].filter((key) => key !== undefined && key !== null),
  ]);
}
