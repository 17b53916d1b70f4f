import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { affected, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';

/** Precision of a token's last-used time, in ms. It limits writes to one per token and minute. */
const USAGE_PRECISION_MS = 60_000;

@Injectable()
export class TokenUsage {
  private readonly lastNotedMs = new Map<string, number>();

  constructor(private readonly units: UnitOfWork) {}

  async recordUse(principal: Principal, now: number): Promise<void> {
    if (principal.via !== 'token' || now - (this.lastNotedMs.get(principal.credentialId) ?? 0) < USAGE_PRECISION_MS)
      return;
    if (this.lastNotedMs.size > 10_000) this.lastNotedMs.clear();
    this.lastNotedMs.set(principal.credentialId, now);
    await this.units.run(principal.tenantId, (tx) =>
      affected(
        tx,
        sql`update api_tokens set last_used_at = now(), last_used_address = ${principal.address}
          where tenant_id = ${principal.tenantId} and id = ${principal.credentialId}`,
      ),
    );
  }
}
