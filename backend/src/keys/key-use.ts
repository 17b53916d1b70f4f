import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

/** Which servers sign in with a key: those that the caller may see by name, the first twenty of them. */
export interface KeyUsage {
  usedBy: { id: string; name: string }[];
  usedByCount: number;
  /** How many more use it in environments that the caller may not see. Never shown beside a key. */
  hiddenCount: number;
  /** The open rotation that it takes part in, as the old key or the new one; null: none. */
  rotationId: string | null;
}

/** Tells who uses keys. */
export interface KeyUse {
  /** By key id; a key that nobody uses, and that takes part in no open rotation, is missing. */
  of(tx: EntityManager, caller: Principal, keyIds: readonly string[]): Promise<Map<string, KeyUsage>>;
  /** @throws Problem 409 `grant_required` where a server signs in with the key in whose environment the caller may not run */
  demandRights(tx: EntityManager, caller: Principal, keyId: string): Promise<void>;
}

/** Git sources that sign in with keys, by key id; a key that none uses is missing. */
export type GitKeyUse = (
  tx: EntityManager,
  tenantId: string,
  keyIds: readonly string[],
) => Promise<Map<string, { id: string; name: string }[]>>;

/** Injection token of the `GitKeyUse`; the room `git-sources` answers it. */
export const GIT_KEY_USE = Symbol('git-key-use');

/** Injection token of the `KeyUse`; the room `inventory` answers it. */
export const KEY_USE = Symbol('key-use');
