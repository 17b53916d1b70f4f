import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest } from '../../common/errors/problem.js';
import type { DecideExecutionRequest } from '../contract/steering.dto.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { isDroppedStatus } from '../lifecycle/outcome.js';
import type { RunState } from '../lifecycle/run-state.js';
import { type DecisionAction, type HostStatus, PAUSE_ACTIONS } from '../lifecycle/statuses.js';
import { appendEvents } from '../output/run-events.js';
import type { RunHead } from '../record/run-head.js';
import { RunStore } from '../store/run-store.js';
import { SteeredRuns } from './steered-run.js';

const HOST_ACTIONS: ReadonlySet<DecisionAction> = new Set(['retry', 'retry_failed', 'exclude_hosts']);

@Injectable()
export class AnswerPause {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly store: RunStore,
    private readonly runs: SteeredRuns,
    private readonly executions: ExecutionsReader,
  ) {}

  /**
   * @throws Problem 400 for a step or server that the run does not have; 404; 403 `grant_required`; 409 `not_waiting`,
   *   `not_possible_now` with `choices`, `nothing_to_retry`
   */
  answerPause(caller: Principal, id: string, request: DecideExecutionRequest): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { ref, head } = await this.runs.getLocked(tx, caller, id);
      const hosts = await loadHostStatusesOfStep(tx, id, head.pause_step);
      requireKnownStepAndHosts(head, request);
      requireWaitingPause(head, request);
      await this.requireSelectableHosts(tx, id, request, hosts);
      const { state } = await this.store.applyTransitionIn(tx, ref, null, caller, {
        type: 'decided',
        action: request.action,
        serverIds: request.serverIds ?? null,
        by: caller.name,
        comment: request.comment ?? null,
      });
      const { action, stepKey, serverIds = null, comment = null } = request;
      await appendEvents(tx, ref, [
        {
          type: 'decision.made',
          data: {
            pauseReason: head.pause_reason,
            stepKey,
            action,
            serverIds: listReopenedHostIds(head, state) ?? serverIds,
            comment,
            user: { id: caller.userId, name: caller.name },
          },
        },
      ]);
      await this.audit.record(tx, caller, {
        action: 'execution.decide',
        resourceId: id,
        resourceName: head.plan_name,
        before: { pauseReason: head.pause_reason },
        after: { action, stepKey, serverIds, comment },
      });
      return this.executions.getInTransaction(tx, caller, id);
    });
  }

  private async requireSelectableHosts(
    tx: EntityManager,
    id: string,
    { action, serverIds }: DecideExecutionRequest,
    hosts: ReadonlyMap<string, HostStatus>,
  ): Promise<void> {
    const failed = [...hosts.values()].filter(isDroppedStatus);
    if (serverIds) {
      const known = await rows(
        tx,
        sql<{ server_id: string }>`
          select server_id from execution_hosts where execution_id = ${id} and server_id::text = any (${serverIds})`,
      );
      const ids = new Set(known.map(({ server_id }) => server_id));
      const index = serverIds.findIndex((each) => !ids.has(each) || !hosts.has(each));
      if (index >= 0) {
        const message = 'This server is not a host of the step that the run waits in.';
        throw invalidRequest([{ path: `/serverIds/${index}`, code: 'unknown_server', message }]);
      }
      if (action === 'retry_failed' && serverIds.some((each) => hosts.get(each) === 'SUCCEEDED')) {
        const advice = 'Remove them from serverIds, or use retry to run the step there again.';
        throw conflict('nothing_to_retry', `Some of these hosts did not fail. ${advice}`);
      }
      return;
    }
    // Hosts with an unknown result are retried only when the request names them.
    const retriedHosts = action === 'retry' ? [...hosts.values()] : action === 'retry_failed' ? failed : [];
    if (retriedHosts.length > 0 && retriedHosts.every((status) => status === 'UNKNOWN')) {
      throw conflict(
        'nothing_to_retry',
        'Only hosts with unknown results remain, and their command may still run. Send them in serverIds to run it there again.',
      );
    }
  }
}

/**
 * Returns the hosts that the answer reopens in a free-strategy plan, where hosts may have moved on to later steps.
 * Null: the hosts that the answer itself names.
 * @throws Problem 409 when no host can be reopened
 */
function listReopenedHostIds({ snapshot }: RunHead, { reopened }: RunState): readonly string[] | null {
  if (!reopened || snapshot.plan.strategy !== 'free') return null;
  if (reopened.hosts.length > 0) return reopened.hosts;
  const advice = 'Use skip or exclude_hosts, and rerun them after the run has ended.';
  throw conflict('nothing_to_retry', `These hosts have moved on to later steps. ${advice}`);
}

async function loadHostStatusesOfStep(
  tx: EntityManager,
  id: string,
  step: number | null,
): Promise<Map<string, HostStatus>> {
  if (step === null) return new Map();
  const results = await rows(
    tx,
    sql<{ server_id: string; status: HostStatus }>`
      select server_id, status from host_results where execution_id = ${id} and step_index = ${step}`,
  );
  return new Map(results.map(({ server_id, status }) => [server_id, status]));
}

/**
 * @throws Problem 400 for a step that the plan does not have, or for hosts with an action that does not accept hosts
 */
function requireKnownStepAndHosts({ snapshot }: RunHead, { stepKey, action, serverIds }: DecideExecutionRequest): void {
  const keys = snapshot.plan.steps.map(({ key }) => key);
  if (!keys.includes(stepKey)) {
    const message = `The plan has no step "${stepKey}". Its steps are ${keys.join(', ')}.`;
    throw invalidRequest([{ path: '/stepKey', code: 'unknown_step', message }]);
  }
  if (serverIds && !HOST_ACTIONS.has(action)) {
    const message = `${action} is for the whole step. Leave serverIds out, or choose one of ${[...HOST_ACTIONS].join(', ')}.`;
    throw invalidRequest([{ path: '/serverIds', code: 'not_applicable', message }]);
  }
}

/** @throws Problem 409 with the possible choices */
function requireWaitingPause(head: RunHead, { stepKey, action, pauseSince }: DecideExecutionRequest): void {
  const { pause_reason: reason, pause_step: index, status } = head;
  if (status !== 'PAUSED' || reason === null || head.pause_expired)
    throw conflict('not_waiting', `The run is ${status} and does not wait for a decision.`, { choices: [] });
  if (reason === 'APPROVAL')
    throw conflict('not_waiting', 'The run waits for approval: approve or reject it.', { choices: [] });
  const waitsAt = index === null ? undefined : head.snapshot.plan.steps[index]?.key;
  const choices = PAUSE_ACTIONS[reason];
  if (waitsAt !== stepKey)
    throw conflict('not_possible_now', `The run waits at step "${waitsAt}", not at "${stepKey}".`, { choices });
  if (pauseSince !== undefined && Date.parse(pauseSince) !== head.pause_since?.getTime())
    throw conflict('not_possible_now', 'The run now waits at another pause. Read the run again.', {
      choices,
    });
  if (!choices.includes(action))
    throw conflict('not_possible_now', `At this pause you can choose ${choices.join(', ')}.`, { choices });
}
