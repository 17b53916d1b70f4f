import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { readSnapshot, type Snapshot } from '../record/execution-row.js';
import type { RunRef } from '../record/run-head.js';
import { RunSecrets } from '../record/run-secrets.js';
import { FROZEN_HOST_COLUMNS, type FrozenHost } from '../record/snapshot.js';
import type { ComparedRun } from './compare-runs.js';

export interface FrozenRun extends ComparedRun {
  id: string;
  finishedAt: Date | null;
}

interface Row {
  id: string;
  plan_revision: number;
  environment_name: string;
  snapshot: Snapshot;
  sealed_secrets: Buffer | null;
  finished_at: Date | null;
}

const COLUMNS = 'id, plan_revision, environment_name, snapshot, sealed_secrets, finished_at';

/** Reads frozen content. The caller must check access first. */
@Injectable()
export class FrozenRuns {
  constructor(private readonly secrets: RunSecrets) {}

  async read(tx: EntityManager, ref: RunRef): Promise<FrozenRun | null> {
    const [row] = await tx.query<Row[]>(`select ${COLUMNS} from executions where tenant_id = $1 and id = $2`, [
      ref.tenantId,
      ref.executionId,
    ]);
    return row ? this.frozen(tx, ref.tenantId, row) : null;
  }

  /** Returns the last successful earlier run of the plan in the environment; null = none. */
  async lastSuccess(
    tx: EntityManager,
    tenantId: string,
    place: { planId: string; environmentId: string; before: string },
  ): Promise<FrozenRun | null> {
    const [row] = await tx.query<Row[]>(
      `select ${COLUMNS} from executions
        where tenant_id = $1 and plan_id = $2 and environment_id = $3 and id < $4 and status = 'SUCCEEDED' and execution_mode <> 'dry_run'
        order by id desc limit 1`,
      [tenantId, place.planId, place.environmentId, place.before],
    );
    return row ? this.frozen(tx, tenantId, row) : null;
  }

  private async frozen(tx: EntityManager, tenantId: string, row: Row): Promise<FrozenRun> {
    const hosts = await tx.query<FrozenHost[]>(
      `select ${FROZEN_HOST_COLUMNS} from execution_hosts
        where execution_id = $1 order by ordinal`,
      [row.id],
    );
    const ref = { tenantId, executionId: row.id };
    return {
      id: row.id,
      finishedAt: row.finished_at,
      planRevision: row.plan_revision,
      environmentName: row.environment_name,
      snapshot: readSnapshot(row.snapshot),
      hosts,
      secrets: this.secrets.fingerprints(this.secrets.open(ref, row.sealed_secrets)),
    };
  }
}
