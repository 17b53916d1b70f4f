import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import {
  describeApprovers,
  describeRunners,
  MAX_PERMITTED_NAMES,
  type PermittedPeopleView,
  toPeopleView,
} from '../../environments/grants/permitted-people.view.js';
import type { PauseAnswersView, PauseAnswerView, RunPermissionsView } from '../contract/run-people.view.js';
import { loadApprovalWithApprovers } from './able-approvers.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import type { ExecutionRow } from '../record/execution-row.js';
import { findLatestApproval } from '../approval/approval-rounds.js';

const MAX_ANSWERS = 500;

type AnswerRow = Omit<PauseAnswerView, 'at' | 'hostCount'> & { at: Date; host_count: number | null; total: number };

/** Reads who may act on a run, and who has answered its pauses. */
@Injectable()
export class RunPeopleReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
    private readonly environments: EnvironmentReader,
  ) {}

  /** @throws Problem 404 if the run is not visible to the caller */
  readPermissions(caller: Principal, id: string): Promise<RunPermissionsView> {
    return this.units.read(caller.tenantId, async (tx) => {
      const run = await this.executions.getVisibleRun(tx, caller, id);
      const { environment_id, environment_name: name } = run;
      const { access, runners, admins } = await this.environments.listRunners(
        tx,
        caller.tenantId,
        environment_id,
        MAX_PERMITTED_NAMES,
      );
      return {
        control: toPeopleView(runners, describeRunners(access, name)),
        approve: await this.readApprovers(tx, run),
        administer: toPeopleView(admins, 'admins'),
      };
    });
  }

  private async readApprovers(tx: EntityManager, run: ExecutionRow): Promise<PermittedPeopleView | null> {
    if (run.pause_reason !== 'APPROVAL') return null;
    const ref = { tenantId: run.tenant_id, executionId: run.id };
    const approval = await findLatestApproval(tx, ref);
    if (approval?.state !== 'pending') return null;
    const { approvers, moreApprovers } = await loadApprovalWithApprovers(
      tx,
      this.environments,
      ref,
      run.environment_id,
      approval,
    );
    return { rule: describeApprovers(run.environment_name), names: [...approvers], more: moreApprovers };
  }

  /** @throws Problem 404 if the run is not visible to the caller */
  readAnswers(caller: Principal, id: string): Promise<PauseAnswersView> {
    return this.units.read(caller.tenantId, async (tx) => {
      await this.executions.getVisibleRun(tx, caller, id);
      const found = await rows(
        tx,
        sql<AnswerRow>`
          select at, data->'user' as "user", data->>'pauseReason' as "pauseReason", data->>'stepKey' as "stepKey",
              data->>'action' as action, data->>'comment' as comment,
              case when jsonb_typeof(data->'serverIds') = 'array' then jsonb_array_length(data->'serverIds') end as host_count,
              (count(*) over ())::int as total
            from execution_events where execution_id = ${id} and type = 'decision.made'
            order by seq desc limit ${MAX_ANSWERS}`,
      );
      return {
        items: found.toReversed().map(({ at, host_count, total: _, ...answer }) => ({
          ...answer,
          at: at.toISOString(),
          hostCount: host_count,
        })),
        moreAnswers: Math.max(0, (found[0]?.total ?? 0) - found.length),
      };
    });
  }
}
