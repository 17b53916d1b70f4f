import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import type { HostKey } from '../transport/keys/host-key.js';
import type { ServerCheck } from './server.entity.js';

/** What a run found when it connected to a server, or tried to. */
export interface Sighting {
  serverId: string;
  /** As the run knows the server: what was seen elsewhere says nothing about where it is registered now. */
  hostname: string;
  port: number;
  pinned: HostKey;
  check: ServerCheck;
  /** Canonical; where the host proved to own the pinned key. Null: it did not. */
  reachedAddress: string | null;
  /** The host key that was shown; null: none was. */
  seen: HostKey | null;
}

/** Stores what runs find out about servers: an observation, so it makes no new version and no audit entry. */
@Injectable()
export class ServerSightings {
  constructor(private readonly units: UnitOfWork) {}

  async store(tenantId: string, sightings: readonly Sighting[]): Promise<void> {
    if (sightings.length === 0) return;
    const rows = sightings.map(({ serverId, hostname, port, pinned, check, reachedAddress, seen }) => ({
      id: serverId,
      hostname,
      port,
      fingerprint: pinned.fingerprint,
      last_check: check,
      reached: reachedAddress,
      seen,
    }));
    await this.units.run(tenantId, (tx) =>
      tx.query(
        `with found as materialized (
            select s.id, x.last_check, x.reached, x.seen
              from jsonb_to_recordset($2::jsonb) as x
                (id uuid, hostname text, port int, fingerprint text, last_check jsonb, reached text, seen jsonb)
              join servers s on s.tenant_id = $1 and s.id = x.id and s.hostname = x.hostname and s.port = x.port
                and s.host_key->>'fingerprint' = x.fingerprint
              where s.last_check is null or s.last_check->>'at' <= x.last_check->>'at'
              -- Workers that store at the same time must not wait for each other in a circle.
              order by s.id for no key update of s)
          update servers s set last_check = f.last_check, seen_host_key = coalesce(f.seen, s.seen_host_key),
              last_reached_address = coalesce(f.reached, s.last_reached_address)
            from found f where s.tenant_id = $1 and s.id = f.id`,
        [tenantId, JSON.stringify(rows)],
      ),
    );
  }
}
