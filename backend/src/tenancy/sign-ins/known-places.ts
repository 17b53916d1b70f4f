import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { affected, sql, type Sql } from '../../common/database/sql.js';
import { toNetwork } from '../../common/http/limits/network-of.js';

export interface Place {
  device: Buffer | null;
  network: Buffer;
}

/** How a place is known. A device is stronger evidence than a network, which other users may share. */
type PlaceKind = 'device' | 'network';

/** Days after the last sign-in at which a known place is deleted. */
const RETENTION_DAYS: Record<PlaceKind, number> = { device: 180, network: 30 };
const MAX_PLACES = 20;

export const toPlace = (address: string, device: Buffer | null): Place => ({
  device,
  network: createHash('sha256')
    .update(`network\n${toNetwork(address)}`)
    .digest(),
});

/** Expression for how a member knows the place: by `device` or `network`, compared by hash; null = unknown. */
export const knownPlaceSql = (userId: Sql, { device, network }: Place): Sql => sql`(
  select p.kind || ' ' || encode(p.key, 'hex') from known_places p where p.user_id = ${userId} and (
    (p.kind = 'device' and p.key = ${device} and p.last_used_at > now() - make_interval(days => ${RETENTION_DAYS.device}))
    or (p.kind = 'network' and p.key = ${network} and p.last_used_at > now() - make_interval(days => ${RETENTION_DAYS.network}))
  ) order by p.kind limit 1)`;

/** Records a place after a successful sign-in. If there are too many, deletes places that were used only once first. */
export async function rememberPlace(tx: EntityManager, userId: string, place: Place): Promise<void> {
  const keys: [PlaceKind, Buffer | null][] = [
    ['device', place.device],
    ['network', place.network],
  ];
  for (const [kind, key] of keys) {
    if (!key) continue;
    await affected(
      tx,
      sql`insert into known_places (user_id, kind, key) values (${userId}, ${kind}, ${key})
        on conflict (user_id, kind, key) do update set returned = true, last_used_at = now()`,
    );
    const others = sql`user_id = ${userId} and kind = ${kind} and key <> ${key}`;
    await affected(
      tx,
      sql`delete from known_places where ${others} and (
          last_used_at < now() - make_interval(days => ${RETENTION_DAYS[kind]})
          or key in (select key from known_places where ${others}
            order by returned desc, last_used_at desc offset ${MAX_PLACES - 1}))`,
    );
  }
  await deleteOldPlaces(tx);
}

async function deleteOldPlaces(tx: EntityManager): Promise<void> {
  await affected(
    tx,
    sql`delete from known_places where (user_id, kind, key) in (select user_id, kind, key from known_places
      where last_used_at < now() - make_interval(days => ${RETENTION_DAYS.device}) limit 100 for update skip locked)`,
  );
}

export async function forgetPlaces(tx: EntityManager, userId: string, excludedPlace: Place | null): Promise<void> {
  const excluded = [excludedPlace?.device, excludedPlace?.network].filter((key) => key !== undefined && key !== null);
  await affected(tx, sql`delete from known_places where user_id = ${userId} and key <> all (${excluded})`);
}
