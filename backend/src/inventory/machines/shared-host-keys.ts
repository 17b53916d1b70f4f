import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

@Injectable()
export class SharedHostKeys {
  async among(tx: EntityManager, tenantId: string, fingerprints: readonly string[]): Promise<Set<string>> {
    if (fingerprints.length === 0) return new Set();
    const rows = await tx.query<{ fingerprint: string }[]>(
      'select fingerprint from shared_host_keys where tenant_id = $1 and fingerprint = any ($2)',
      [tenantId, fingerprints],
    );
    return new Set(rows.map(({ fingerprint }) => fingerprint));
  }

  async mark(tx: EntityManager, tenantId: string, fingerprint: string, reason: string): Promise<void> {
    await tx.query(
      'insert into shared_host_keys (tenant_id, fingerprint, reason) values ($1, $2, $3) on conflict do nothing',
      [tenantId, fingerprint, reason],
    );
  }

  async unmark(tx: EntityManager, tenantId: string, fingerprint: string): Promise<void> {
    await tx.query('delete from shared_host_keys where tenant_id = $1 and fingerprint = $2', [tenantId, fingerprint]);
  }
}
