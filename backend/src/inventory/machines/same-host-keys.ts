import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { affected, rows, sql } from '../../common/database/sql.js';
import { conflict, type Problem } from '../../common/errors/problem.js';
import { filterHostKeys, getPinnedKeys, type StoredPins } from '../../transport/keys/pinned-key.js';
import { KNOWN_HOST_KEYS_SQL } from './proved-host-keys.js';

@Injectable()
export class SharedHostKeys {
  async findSharedFingerprints(
    tx: EntityManager,
    tenantId: string,
    fingerprints: readonly string[],
  ): Promise<Set<string>> {
    if (fingerprints.length === 0) return new Set();
    const shared = await rows(
      tx,
      sql<{ fingerprint: string }>`select fingerprint from shared_host_keys
        where tenant_id = ${tenantId} and fingerprint = any (${fingerprints})`,
    );
    return new Set(shared.map(({ fingerprint }) => fingerprint));
  }

  async markAsShared(tx: EntityManager, tenantId: string, fingerprint: string, reason: string): Promise<void> {
    await affected(
      tx,
      sql`insert into shared_host_keys (tenant_id, fingerprint, reason) values (${tenantId}, ${fingerprint}, ${reason})
        on conflict do nothing`,
    );
  }

  async unmarkAsShared(tx: EntityManager, tenantId: string, fingerprint: string): Promise<void> {
    await affected(
      tx,
      sql`delete from shared_host_keys where tenant_id = ${tenantId} and fingerprint = ${fingerprint}`,
    );
  }
}

export interface KeyedHost extends StoredPins {
  id: string;
  name: string;
  username: string;
}

/** Host with a common pinned key and the same login as an earlier host, `first`. */
export type SameKeyPair<T> = readonly [first: T, other: T];

const MAX_NAMED_PAIRS = 5;

/**
 * Finds servers that are one machine: they have the same login and a common host key, pinned or proved at a login.
 * Ports may differ, because an sshd may listen on several ports and a router may forward them. Keys that an admin
 * marked as shared do not count, nor do certificate authorities.
 */
@Injectable()
export class SameHostKeys {
  constructor(private readonly shared: SharedHostKeys) {}

  /**
   * Returns a pair for each host that duplicates an earlier host. Runs one query, and a second one only if hosts have a
   * common key.
   */
  async findSameKeyPairs<T extends KeyedHost>(
    tx: EntityManager,
    tenantId: string,
    hosts: readonly T[],
  ): Promise<SameKeyPair<T>[]> {
    if (hosts.length < 2) return [];
    const sharedFingerprints = [...(await this.groupByHostKey(tx, tenantId, hosts))].filter(([, { size }]) => size > 1);
    if (sharedFingerprints.length === 0) return [];
    const sharedKeys = await this.shared.findSharedFingerprints(
      tx,
      tenantId,
      sharedFingerprints.map(([fingerprint]) => fingerprint),
    );
    const firstHosts = new Map<T, T>();
    for (const [fingerprint, known] of sharedFingerprints) {
      if (sharedKeys.has(fingerprint)) continue;
      const byLogin = new Map<string, T>();
      for (const host of known) {
        const first = byLogin.get(host.username);
        if (!first) byLogin.set(host.username, host);
        else if (first !== host && !firstHosts.has(host)) firstHosts.set(host, first);
      }
    }
    return [...firstHosts].map(([other, first]) => [first, other]);
  }

  private async groupByHostKey<T extends KeyedHost>(
    tx: EntityManager,
    tenantId: string,
    hosts: readonly T[],
  ): Promise<Map<string, Set<T>>> {
    const holders = new Map<string, Set<T>>();
    const note = (fingerprint: string, host: T) => {
      const known = holders.get(fingerprint);
      if (known) known.add(host);
      else holders.set(fingerprint, new Set([host]));
    };
    for (const host of hosts)
      for (const { fingerprint } of filterHostKeys(getPinnedKeys(host))) note(fingerprint, host);
    const ids = hosts.map(({ id }) => id);
    const commonKeys = await rows(
      tx,
      sql.prepared<{
        fingerprint: string;
        ids: string[];
      }>`select k.fingerprint, array_agg(distinct k.server_id) as ids from ${KNOWN_HOST_KEYS_SQL} k
        where k.tenant_id = ${tenantId} and k.server_id = any (${ids}::uuid[])
        group by k.fingerprint having count(distinct k.server_id) > 1`,
    );
    if (commonKeys.length === 0) return holders;
    const hostOrder = new Map(hosts.map((host, at) => [host, at]));
    const byId = new Map(hosts.map((host) => [host.id, host]));
    for (const { fingerprint, ids: holderIds } of commonKeys) {
      for (const id of holderIds) {
        const host = byId.get(id);
        if (host) note(fingerprint, host);
      }
      const sorted = [...(holders.get(fingerprint) ?? [])].sort(
        (one, other) => (hostOrder.get(one) ?? 0) - (hostOrder.get(other) ?? 0),
      );
      holders.set(fingerprint, new Set(sorted));
    }
    return holders;
  }
}

export function formatSameKeyPairs(pairs: readonly SameKeyPair<{ name: string }>[]): string {
  const named = pairs.slice(0, MAX_NAMED_PAIRS).map(([first, other]) => `"${other.name}" and "${first.name}"`);
  const more = pairs.length > MAX_NAMED_PAIRS ? `, and ${pairs.length - MAX_NAMED_PAIRS} more pairs` : '';
  return `These servers share a host key and a login, so each pair is one machine: ${named.join(', ')}${more}. A run works on a machine once. Select one of each pair, or delete or disable the other. If they are copies with one key, create a host key for each, or ask an admin to mark the key as shared by several machines.`;
}

export const toSameKeyProblem = (pairs: readonly SameKeyPair<{ name: string }>[]): Problem | null =>
  pairs.length === 0 ? null : conflict('same_host_key', formatSameKeyPairs(pairs));
