import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';

/** Precision of a token's last-used time, in ms. It limits writes to one per token and minute. */
const USAGE_PRECISION_MS = 60_000;

@Injectable()
export class TokenUsage {
  private readonly lastNotedMs = new Map<string, number>();

  constructor(private readonly units: UnitOfWork) {}

  async note(principal: Principal, now: number): Promise<void> {
    if (principal.via !== 'token' || now - (this.lastNotedMs.get(principal.credentialId) ?? 0) < USAGE_PRECISION_MS)
      return;
    if (this.lastNotedMs.size > 10_000) this.lastNotedMs.clear();
    this.lastNotedMs.set(principal.credentialId, now);
    await this.units.run(principal.tenantId, (tx) =>
      tx.query('update api_tokens set last_used_at = now(), last_used_address = $2 where tenant_id = $3 and id = $1', [
        principal.credentialId,
        principal.address,
        principal.tenantId,
      ]),
    );
  }
}
