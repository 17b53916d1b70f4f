import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { invalidRequest, notFound } from '../../common/errors/problem.js';
import { readCursor } from '../../common/http/paging/cursor.js';
import { demandRange } from '../../common/http/paging/filters.js';
import type { Page } from '../../common/http/paging/page.js';
import { isId } from '../../common/ids.js';
import { awaitsCaller } from './awaits-caller.js';
import type { ListExecutionsQuery } from '../contract/execution.dto.js';
import type { ExecutionSummaryView, ExecutionView } from '../contract/execution.view.js';
import { EXECUTION_COLUMNS, type ExecutionRow, readSnapshot } from '../record/execution-row.js';
import { listRuns } from './list-runs.js';
import { dryRunSummary } from './dry-run-summary.js';
import { RunForecast } from './run-forecast.js';
import { RunDetailReader } from './run-detail.reader.js';
import { type HostRow, HOSTS_SHOWN, type SeenWhole, type StepRow, toView } from './to-execution-view.js';

/** Runs are as visible as their environment. */
const VISIBLE = isInVisibleEnvironment('e', { role: '$3', user: '$4' });
const ONE_AWAITS = awaitsCaller('e', { role: '$3', user: '$4' });

/** Runs for screens and CI. Hand-written reads: these are the hottest of the API. */
@Injectable()
export class ExecutionsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly details: RunDetailReader,
    private readonly forecasts: RunForecast,
  ) {}

  list(caller: Principal, query: ListExecutionsQuery): Promise<Page<ExecutionSummaryView>> {
    demandRange(query);
    return this.units.run(caller.tenantId, (tx) => listRuns(tx, caller, query));
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string, hostsCursor?: string): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, (tx) => this.getIn(tx, caller, id, hostsCursor));
  }

  /** Like `get`, inside a transaction of the caller's. */
  async getIn(tx: EntityManager, caller: Principal, id: string, hostsCursor?: string): Promise<ExecutionView> {
    const after = ordinalOf(hostsCursor);
    const row = await this.visible(tx, caller, id);
    const steps = await tx.query<StepRow[]>(
      'select * from execution_steps where execution_id = $1 order by step_index',
      [id],
    );
    const hosts = await tx.query<HostRow[]>(
      `select server_id, ordinal, name, hostname, port, tags, status, last_step_key from execution_hosts
        where execution_id = $1 and ordinal > $2 order by ordinal limit $3`,
      [id, after, HOSTS_SHOWN + 1],
    );
    return {
      ...toView(row, steps, hosts),
      pause: this.details.pause(row),
      approval: await this.details.approval(tx, caller, row),
      forecast: await this.forecasts.of(tx, caller, row),
      summary: await dryRunSummary(tx, row),
      unknownHosts: await this.details.unknownHosts(tx, row),
    };
  }

  /** The run's row if the caller may see it. @throws Problem 404 */
  async visible(tx: EntityManager, caller: Principal, id: string): Promise<SeenWhole> {
    const [row] = isId(id)
      ? await tx.query<SeenWhole[]>(
          `select ${EXECUTION_COLUMNS}, e.snapshot, e.digest, ${ONE_AWAITS} as awaits_caller from executions e where e.tenant_id = $1 and e.id = $2 and ${VISIBLE}`,
          [caller.tenantId, id, caller.role, caller.userId],
        )
      : [];
    if (!row) throw notFound();
    return { ...row, snapshot: readSnapshot(row.snapshot) };
  }

  /** Status and version only, for waiting and for asking again whether the caller may see it. @throws Problem 404 */
  state(caller: Principal, id: string): Promise<Pick<ExecutionRow, 'status' | 'version'>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const [row] = isId(id)
        ? await tx.query<Pick<ExecutionRow, 'status' | 'version'>[]>(
            `select e.status, e.version from executions e where e.tenant_id = $1 and e.id = $2 and ${VISIBLE}`,
            [caller.tenantId, id, caller.role, caller.userId],
          )
        : [];
      if (!row) throw notFound();
      return row;
    });
  }
}

const HOSTS_CURSOR = { parameter: 'hostsCursor', field: 'hostsNextCursor' };
const ordinalOf = (cursor: string | undefined): number => readCursor(cursor, ['ordinal'], HOSTS_CURSOR)?.[0] ?? -1;

/**
 * For whoever found the run visible: it has this step, if one is asked for.
 * @throws Problem 400 that names the query parameter
 */
export async function demandStep(tx: EntityManager, id: string, stepKey: string | undefined): Promise<void> {
  if (stepKey === undefined) return;
  const found = await tx.query<unknown[]>('select 1 from execution_steps where execution_id = $1 and key = $2', [
    id,
    stepKey,
  ]);
  if (found.length > 0) return;
  const message = 'stepKey must be the key of a step of this run.';
  throw invalidRequest([{ path: '?stepKey', code: 'unknown_step', message }]);
}
