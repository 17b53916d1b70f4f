import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import { readSnapshot, type Snapshot } from '../record/execution-row.js';
import type { RunRef } from '../record/run-head.js';
import { RunSecrets } from '../record/run-secrets.js';
import { FROZEN_HOST_COLUMNS_SQL, type FrozenHost } from '../record/snapshot.js';
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

const FROZEN_RUN_COLUMNS_SQL = sql`id, plan_revision, environment_name, snapshot, sealed_secrets, finished_at`;

/** Reads frozen content. The caller must check access first. */
@Injectable()
export class FrozenRuns {
  constructor(private readonly secrets: RunSecrets) {}

  async readRun(tx: EntityManager, ref: RunRef): Promise<FrozenRun | null> {
    const run = await row(
      tx,
      sql<Row>`select ${FROZEN_RUN_COLUMNS_SQL} from executions where tenant_id = ${ref.tenantId} and id = ${ref.executionId}`,
    );
    return run ? this.openFrozenRun(tx, ref.tenantId, run) : null;
  }

  /** Returns the ID of the last successful earlier run of the plan in the environment; null = none. */
  async findLastSuccessId(
    tx: EntityManager,
    tenantId: string,
    place: { planId: string; environmentId: string; before: string },
  ): Promise<string | null> {
    const run = await row(
      tx,
      sql<{ id: string }>`select id from executions
        where tenant_id = ${tenantId} and plan_id = ${place.planId} and environment_id = ${place.environmentId}
          and id < ${place.before} and status = 'SUCCEEDED' and execution_mode <> 'dry_run'
        order by id desc limit 1`,
    );
    return run?.id ?? null;
  }

  /** Returns the last successful earlier run of the plan in the environment; null = none. */
  async findLastSuccess(
    tx: EntityManager,
    tenantId: string,
    place: { planId: string; environmentId: string; before: string },
  ): Promise<FrozenRun | null> {
    const executionId = await this.findLastSuccessId(tx, tenantId, place);
    return executionId === null ? null : this.readRun(tx, { tenantId, executionId });
  }

  private async openFrozenRun(tx: EntityManager, tenantId: string, run: Row): Promise<FrozenRun> {
    const hosts = await rows(
      tx,
      sql<FrozenHost>`select ${FROZEN_HOST_COLUMNS_SQL} from execution_hosts
        where execution_id = ${run.id} order by ordinal`,
    );
    const ref = { tenantId, executionId: run.id };
    return {
      id: run.id,
      finishedAt: run.finished_at,
      planRevision: run.plan_revision,
      environmentName: run.environment_name,
      snapshot: readSnapshot(run.snapshot),
      hosts,
      secrets: this.secrets.computeFingerprints(this.secrets.openSecrets(ref, run.sealed_secrets)),
    };
  }
}
