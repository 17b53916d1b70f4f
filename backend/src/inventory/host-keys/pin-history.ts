import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import type { PinnedHow } from '../fields/server.entity.js';

export interface Pin {
  type: string;
  publicKey: string;
  fingerprint: string;
  authority: boolean;
  pinnedAt: Date | null;
  pinnedBy: string | null;
  pinnedById: string | null;
  pinnedHow: PinnedHow | null;
  retiredAt: Date | null;
  retiredBy: string | null;
  retiredById: string | null;
  retiredHow: PinnedHow | null;
}

export const readPinsOfServer = (tx: EntityManager, tenantId: string, serverId: string): Promise<Pin[]> =>
  rows(
    tx,
    sql<Pin>`select type, public_key as "publicKey", fingerprint, authority, pinned_at as "pinnedAt", pinned_by as "pinnedBy",
        pinned_by_id as "pinnedById", retired_by_id as "retiredById",
        pinned_how as "pinnedHow", retired_at as "retiredAt", retired_by as "retiredBy", retired_how as "retiredHow"
      from server_host_keys where tenant_id = ${tenantId} and server_id = ${serverId}
      order by retired_at desc nulls first, pinned_at nulls first, fingerprint limit 200`,
  );

/** Returns a sentence about who pinned the key that the host no longer matches, and when; empty if not recorded. */
export async function readPinOrigin(tx: EntityManager, tenantId: string, serverId: string): Promise<string> {
  const pin = await row(
    tx,
    sql<{ by: string | null; at: Date | null }>`select pinned_by as by, pinned_at as at from server_host_keys
      where tenant_id = ${tenantId} and server_id = ${serverId} and retired_at is null
        and pinned_by is not null and pinned_at is not null
      order by pinned_at desc limit 1`,
  );
  return pin?.by && pin.at
    ? ` ${pin.by} pinned the old key on ${pin.at.toISOString().slice(0, 16).replace('T', ' at ')} UTC.`
    : '';
}
