import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { row, sql } from '../../../common/database/sql.js';
import { isRunVisibleToSql } from '../../queries/visible-run.js';
import { conflict } from '../../../common/errors/problem.js';
import { FrozenRuns } from '../../review/frozen-runs.js';
import { compareRuns, limitDifferences } from '../../review/compare-runs.js';
import { RunSecrets } from '../../record/run-secrets.js';
import type { PreparedRun } from './prepare-run.js';

@Injectable()
export class ExpectedDigestCheck {
  constructor(
    private readonly frozen: FrozenRuns,
    private readonly secrets: RunSecrets,
  ) {}

  /**
   * @throws Problem 409 `digest_changed`; with the differences when the caller can see a run with the expected digest
   */
  async requireDigest(tx: EntityManager, caller: Principal, digest: string, run: PreparedRun): Promise<void> {
    if (digest === run.digest) return;
    const known = await row(
      tx,
      sql<{ id: string }>`
        select e.id from executions e where e.tenant_id = ${caller.tenantId} and e.digest = ${digest}
          and ${isRunVisibleToSql(sql.raw('e'), caller)} order by e.id desc limit 1`,
    );
    const before = known && (await this.frozen.readRun(tx, { tenantId: caller.tenantId, executionId: known.id }));
    const after = {
      planRevision: run.planRevision,
      environmentName: run.environment.name,
      snapshot: run.snapshot,
      hosts: run.hosts,
      secrets: this.secrets.computeFingerprints(run.secrets),
    };
    const differences = before ? await compareRuns(before, after) : [];
    const names = differences.slice(0, 5).map(({ kind, name }) => `${kind} ${name}`);
    const unnamedDifference = before
      ? 'Runward cannot name the difference. For example, a server may have been registered again.'
      : 'No run with the expected digest is known.';
    const what = names.length > 0 ? `These differ: ${names.join(', ')}.` : unnamedDifference;
    throw conflict(
      'digest_changed',
      `The run would differ from the expected digest. ${what} Make another dry run and review it.`,
      limitDifferences(differences),
    );
  }
}
