import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { conflict, type Problem } from '../../common/errors/problem.js';
import { hostKeysAmong, pinsOf, type StoredPins } from '../../transport/keys/pinned-key.js';
import { SharedHostKeys } from './shared-host-keys.js';

/** A host with what it would be let in by, and the login there. */
export interface KeyedHost extends StoredPins {
  name: string;
  username: string;
}

/** A host, and the first one that has a pinned key and the login in common with it. */
export type SameKeyPair<T> = readonly [first: T, other: T];

/** How many pairs a text names. */
const NAMED = 5;

/**
 * Finds hosts that are one machine by what is pinned for them: a host key in common, and the same login. The port may be
 * another one: an sshd may listen on several, and a router may forward them. Keys that an admin marked as shared by
 * several machines tell nothing, nor do certificate authorities.
 */
@Injectable()
export class SameHostKeys {
  constructor(private readonly shared: SharedHostKeys) {}

  /** A pair for each host that is a double of one before it; one query, and none where all keys differ. */
  async among<T extends KeyedHost>(
    tx: EntityManager,
    tenantId: string,
    hosts: readonly T[],
  ): Promise<SameKeyPair<T>[]> {
    const holders = new Map<string, T[]>();
    for (const host of hosts) {
      for (const { fingerprint } of hostKeysAmong(pinsOf(host))) {
        const known = holders.get(fingerprint);
        if (known) known.push(host);
        else holders.set(fingerprint, [host]);
      }
    }
    const several = [...holders].filter(([, { length }]) => length > 1);
    if (several.length === 0) return [];
    const marked = await this.shared.among(
      tx,
      tenantId,
      several.map(([fingerprint]) => fingerprint),
    );
    const firsts = new Map<T, T>();
    for (const [fingerprint, known] of several) {
      if (marked.has(fingerprint)) continue;
      const byLogin = new Map<string, T>();
      for (const host of known) {
        const first = byLogin.get(host.username);
        if (!first) byLogin.set(host.username, host);
        else if (first !== host && !firsts.has(host)) firsts.set(host, first);
      }
    }
    return [...firsts].map(([other, first]) => [first, other]);
  }
}

/** What is wrong with such pairs, and what to do. */
export function sameKeyText(pairs: readonly SameKeyPair<{ name: string }>[]): string {
  const named = pairs.slice(0, NAMED).map(([first, other]) => `"${other.name}" and "${first.name}"`);
  const more = pairs.length > NAMED ? `, and ${pairs.length - NAMED} more pairs` : '';
  return `These servers have a pinned host key and the login in common, so each pair is one machine: ${named.join(', ')}${more}. A run works on a machine once. Select one of each pair, or delete or switch off the other. If they are copies with one key, give each a key of its own, or have an admin mark the key as shared by several machines.`;
}

/** Null: there are no pairs. */
export const sameKeyProblem = (pairs: readonly SameKeyPair<{ name: string }>[]): Problem | null =>
  pairs.length === 0 ? null : conflict('same_host_key', sameKeyText(pairs));
