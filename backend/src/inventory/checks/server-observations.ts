import { Injectable } from '@nestjs/common';
import { affected, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { HostKey } from '../../transport/keys/host-key.js';
import { type PinnedKey, toStoredPins } from '../../transport/keys/pinned-key.js';
import type { HostFacts } from '../facts/host-facts.js';
import { type HostProof, storeHostProofs } from '../machines/host-proofs.js';
import { storeProvedKeys } from '../machines/proved-host-keys.js';
import type { ServerCheck } from '../fields/server.entity.js';

export interface ServerObservation {
  serverId: string;
  /** Host name when the server was contacted. Findings at another address do not apply to the server's current one. */
  hostname: string;
  port: number;
  pinned: readonly PinnedKey[];
  check: ServerCheck;
  /** Canonical address at which the host has proved to own the pinned key; null: it has not. */
  reachedAddress: string | null;
  /** Duration of the TCP connect; null: no login. */
  latencyMs: number | null;
  /** Host key that was seen; null: none. */
  seen: HostKey | null;
  /** Null or absent: no facts were read. */
  facts?: HostFacts | null;
  /** Host keys that the host has proved to own so far; empty: no login. */
  proved: readonly HostKey[];
}

/**
 * Stores findings of runs and scheduled checks about servers. They are observations, without a new version or audit
 * entry.
 */
@Injectable()
export class ServerObservations {
  constructor(private readonly units: UnitOfWork) {}

  async storeAll(tenantId: string, sightings: readonly ServerObservation[]): Promise<void> {
    if (sightings.length === 0) return;
    const findings = sightings.map(
      ({ serverId, hostname, port, pinned, check, reachedAddress, latencyMs, seen, facts }) => ({
        id: serverId,
        hostname,
        port,
        fingerprint: toStoredPins(pinned).hostKey?.fingerprint ?? null,
        last_check: check,
        state: check.state,
        at: check.at,
        reached: reachedAddress,
        latency: latencyMs,
        seen,
        facts: facts ?? null,
      }),
    );
    const proved = sightings.map(({ proved: keys, ...sighting }) => ({ ...sighting, keys }));
    await this.units.run(tenantId, async (tx) => {
      await affected(
        tx,
        sql`with found as materialized (
            select s.id, x.last_check, x.state, x.at, x.reached, x.latency, x.seen, x.facts
              from jsonb_to_recordset(${JSON.stringify(findings)}::jsonb) as x
                (id uuid, hostname text, port int, fingerprint text, last_check jsonb, state text, at timestamptz, reached text,
                  latency int, seen jsonb, facts jsonb)
              join servers s on s.tenant_id = ${tenantId} and s.id = x.id and s.hostname = x.hostname and s.port = x.port
                and s.host_key->>'fingerprint' is not distinct from x.fingerprint
              where s.checked_at is null or s.checked_at <= x.at
              -- Workers that store at the same time must not wait for each other in a circle.
              order by s.id for no key update of s)
          update servers s set last_check = f.last_check, state = f.state, checked_at = f.at,
              state_since = case when s.state = f.state then s.state_since else f.at end,
              latency_ms = coalesce(f.latency, s.latency_ms), seen_host_key = coalesce(f.seen, s.seen_host_key),
              last_reached_address = coalesce(f.reached, s.last_reached_address),
              facts = coalesce(f.facts, s.facts), facts_at = case when f.facts is null then s.facts_at else f.at end
            from found f where s.tenant_id = ${tenantId} and s.id = f.id`,
      );
      await storeProvedKeys(tx, tenantId, proved);
      await storeHostProofs(
        tx,
        tenantId,
        proved.flatMap(({ reachedAddress, check, ...sighting }): HostProof[] =>
          reachedAddress === null
            ? []
            : [
                {
                  ...sighting,
                  reachedAddress,
                  by: check.source === 'run' ? 'run' : 'schedule',
                  executionId: check.executionId,
                },
              ],
        ),
      );
    });
  }
}
