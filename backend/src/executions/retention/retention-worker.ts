import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { MAY_START_SQL } from '../../common/installation/installation.sql.js';
import { type AuditActor, AuditTrail } from '../../audit/audit-trail.js';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { row, rows, sql, type Sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { listEnvironmentsWithRuns } from './due-runs.js';
import { listDeletionFacts } from './deletion-facts.js';
import { deleteBatch, mergeTotals, removeRuns } from './removed-runs.js';
import { claimPass, addRemovedCounts, endPass, releasePass, findRule, loadRules } from './retention-rows.js';
import { hasLimit } from './retention-rule.js';
import { readDueRunBatches } from './survey.js';

const ROUND_INTERVAL_MS = 15_000;
const PARTITIONS_INTERVAL_MS = 3_600_000;
const MONTHS_AHEAD = 3;
/** Time limit per tenant in one round, in ms. The next round continues the work. */
const TURN_LIMIT_MS = 30_000;
const RUNS_PER_REMOVAL = 200;

const createSystemActor = (tenantId: string): AuditActor => ({ kind: 'system', tenantId, name: 'retention' });

/**
 * Applies the retention rules of all tenants: hides due runs, drops partitions of months without visible runs, and
 * deletes the rows of other removed runs. Several workers can run it. Each pass belongs to one worker at a time; after
 * a takeover, the new worker continues from the stored state.
 */
@Injectable()
export class RetentionWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Retention');
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();
  private partitionsAt = 0;
  private stopped = false;

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduleRound(0);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.round;
  }

  private scheduleRound(ms: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.round = this.runRound()
        .catch((error: unknown) => {
          if (!isDatabaseUnavailable(error)) this.log.warn(`Applying the retention rules failed: ${String(error)}`);
        })
        .finally(() => this.scheduleRound(ROUND_INTERVAL_MS));
    }, ms);
  }

  async runRound(): Promise<void> {
    if (Date.now() >= this.partitionsAt) {
      // Does not wait long for a table lock. Until the next round creates the partitions, the default partition takes
      // the rows.
      if (await this.runIfPossible('make_month_partitions', sql`select make_month_partitions(${MONTHS_AHEAD})`))
        this.partitionsAt = Date.now() + PARTITIONS_INTERVAL_MS;
    }
    const tenants = await this.units.runWithoutTenant((tx) =>
      rows(tx, sql<{ id: string }>`select id from tenants_with_due_retention() as id where ${MAY_START_SQL}`),
    );
    const finishedPasses = [];
    for (const { id } of tenants) {
      if (this.stopped) return;
      if (await this.units.run(id, (tx) => claimPass(tx, id))) await this.runPass(id);
      finishedPasses.push(id);
    }
    if (finishedPasses.length > 0)
      await this.runIfPossible('drop_spent_partitions', sql`select drop_spent_partitions()`);
    for (const id of finishedPasses) await this.deleteRemoved(id);
  }

  private async runPass(tenantId: string): Promise<void> {
    const until = Date.now() + TURN_LIMIT_MS;
    await this.units.run(tenantId, (tx) => mergeTotals(tx, tenantId));
    const { rules, environments } = await this.units.run(tenantId, async (tx) => ({
      rules: await loadRules(tx, tenantId),
      environments: await listEnvironmentsWithRuns(tx, tenantId),
    }));
    for (const environmentId of environments) {
      const rule = findRule(rules, environmentId);
      for await (const portion of readDueRunBatches(this.units, { tenantId, environmentId }, rule)) {
        const ids = portion.filter(({ kept }) => kept === null).map(({ run }) => run.id);
        for (let from = 0; from < ids.length; from += RUNS_PER_REMOVAL) {
          await this.units.run(tenantId, async (tx) => {
            const removedRuns = await removeRuns(tx, tenantId, ids.slice(from, from + RUNS_PER_REMOVAL));
            await addRemovedCounts(tx, tenantId, removedRuns);
            for (const fact of await listDeletionFacts(tx, tenantId, removedRuns.ids, 'decided'))
              await this.audit.record(tx, createSystemActor(tenantId), fact);
          });
        }
        if (this.stopped || Date.now() > until) return this.units.run(tenantId, (tx) => releasePass(tx, tenantId));
      }
    }
    await this.units.run(tenantId, async (tx) => {
      const ended = await endPass(tx, tenantId, rules.some(hasLimit));
      if (!ended) return;
      await this.audit.record(tx, createSystemActor(tenantId), { action: 'retention.pass', after: ended });
    });
  }

  private async deleteRemoved(tenantId: string): Promise<void> {
    const until = Date.now() + TURN_LIMIT_MS;
    while (!this.stopped && Date.now() < until) {
      if (!(await this.units.run(tenantId, (tx) => deleteBatch(tx, tenantId)))) return;
    }
  }

  private async runIfPossible(name: string, statement: Sql): Promise<boolean> {
    try {
      await this.units.runWithoutTenant((tx) => row(tx, statement));
      return true;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.log.debug(`${name} failed; the next pass tries again: ${String(error)}`);
      return false;
    }
  }
}
