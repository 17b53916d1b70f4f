import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { affected, rows, sql } from '../../common/database/sql.js';

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
