import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

/** Servers that sign in with a key: the first twenty that are visible to the caller, and their number. */
export interface KeyUsage {
  usedBy: { id: string; name: string }[];
  usedByCount: number;
  /** Number of further servers, in environments invisible to the caller. Never shown beside a key. */
  hiddenCount: number;
  /** ID of the open rotation that includes the key, as old or new key; null: none. */
  rotationId: string | null;
}

/** Port to the servers that use keys. */
export interface KeyUse {
  /** Usage by key ID. Keys without servers and open rotations are omitted. */
  of(tx: EntityManager, caller: Principal, keyIds: readonly string[]): Promise<Map<string, KeyUsage>>;
  /**
   * @throws Problem 409 `grant_required` if a server with this key is in an environment where the caller may not run
   */
  requireRights(tx: EntityManager, caller: Principal, keyId: string): Promise<void>;
}

/** Git sources that sign in with keys, by key ID. Keys without git sources are omitted. */
export type GitKeyUse = (
  tx: EntityManager,
  tenantId: string,
  keyIds: readonly string[],
) => Promise<Map<string, { id: string; name: string }[]>>;

/** Injection token of the `GitKeyUse`; the module `git-sources` provides it. */
export const GIT_KEY_USE = Symbol('git-key-use');

/** Injection token of the `KeyUse`; the module `inventory` provides it. */
export const KEY_USE = Symbol('key-use');
