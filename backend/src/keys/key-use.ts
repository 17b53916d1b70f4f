import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

/** Servers that sign in with a key: the first 20 that the caller can see, and the number of visible servers. */
export interface KeyUsage {
  usedBy: { id: string; name: string }[];
  usedByCount: number;
  /** Number of further servers that the caller can't see. It is never shown beside a key. */
  hiddenCount: number;
  /** ID of the open rotation that includes the key, as the old or the new key; null: none. */
  rotationId: string | null;
}

export interface KeyUse {
  /** Returns the usage by key ID. Keys without servers and open rotations are omitted. */
  findUsage(tx: EntityManager, caller: Principal, keyIds: readonly string[]): Promise<Map<string, KeyUsage>>;
  /**
   * @throws Problem 403 `grant_required` if a server with this key is in an environment in which the caller may not run
   *   plans
   */
  requireRights(tx: EntityManager, caller: Principal, keyId: string): Promise<void>;
}

/** Returns the git sources that sign in with keys, by key ID. Keys without git sources are omitted. */
export type GitKeyUse = (
  tx: EntityManager,
  tenantId: string,
  keyIds: readonly string[],
) => Promise<Map<string, { id: string; name: string }[]>>;

export const GIT_KEY_USE = Symbol('git-key-use');

export const KEY_USE = Symbol('key-use');
