import { toReason } from '../../common/http/reason.view.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { allowsApproval } from '../../common/access/caller-limits.js';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { findLastOverride } from '../../environments/protection/protection-change-rows.js';
import {
  type ProtectionOverrideView,
  toProtectionOverrideView,
} from '../../environments/protection/protection-changes.view.js';
import { mayApprove } from '../../environments/grant-policy.js';
import { type Approver, describeApprovalObstacle, findApprovalObstacle } from '../approval/approval-policy.js';
import { findAuthorsAmongUsers } from '../approval/author-rows.js';
import { listApprovalDecisions, findLatestApproval } from '../approval/approval-rounds.js';
import type { ApprovalView, PauseView } from '../contract/execution.view.js';
import type { UnknownHostView } from '../contract/unknown-host.view.js';
import type { ExecutionRow, Snapshot } from '../record/execution-row.js';
import { type HostCheckRow, toHostCheckView } from '../record/host-check-row.js';
import { isFinished, PAUSE_ACTIONS } from '../lifecycle/statuses.js';

const MAX_UNKNOWN_HOSTS = 100;

type Row = ExecutionRow & { snapshot: Snapshot };

/** Reads details that only some runs have: pause, approval, unknown results. */
@Injectable()
export class RunDetailReader {
  constructor(private readonly environments: EnvironmentReader) {}

  toPauseView(row: Row): PauseView | null {
    if (row.pause_reason === null || !row.pause_since || !row.pause_expires_at) return null;
    const step = row.pause_step === null ? undefined : row.snapshot.plan.steps[row.pause_step];
    return {
      reason: row.pause_reason,
      text: row.pause_text ?? (step?.type === 'gate' && row.pause_reason === 'GATE' ? step.message : null),
      since: row.pause_since.toISOString(),
      expiresAt: row.pause_expires_at.toISOString(),
      stepKey: step?.key ?? null,
      choices: [...PAUSE_ACTIONS[row.pause_reason]],
    };
  }

  async loadApprovalView(tx: EntityManager, caller: Principal, row: Row): Promise<ApprovalView | null> {
    const ref = { tenantId: caller.tenantId, executionId: row.id };
    const approval = await findLatestApproval(tx, ref);
    if (!approval) return null;
    const decisions = await listApprovalDecisions(tx, ref, approval.round);
    const waits = approval.state === 'pending' && row.pause_reason === 'APPROVAL';
    const environmentRights = waits
      ? await this.environments.readRights(tx, caller.tenantId, row.environment_id, [caller.userId])
      : null;
    const rights = environmentRights?.of(caller.userId) ?? null;
    // The current policy: a stricter one also applies to runs that already wait.
    const policy = waits ? await this.environments.readApprovalPolicy(tx, caller.tenantId, row.environment_id) : null;
    const approver: Approver = {
      mayApprove: rights !== null && mayApprove(rights) && allowsApproval(caller.limits),
      isRequester: caller.userId === approval.requested_by,
      involved: waits
        ? ((await findAuthorsAmongUsers(tx, ref, approval.round, [caller.userId])).get(caller.userId) ?? null)
        : null,
    };
    const obstacle = findApprovalObstacle(approver, {
      allowSelfApproval: approval.allow_self_approval && (policy?.allowSelfApproval ?? true),
      alreadyDecided: decisions.some(({ user_id }) => user_id === caller.userId),
    });
    return {
      required: true,
      state: approval.state,
      requiredApprovals: Math.max(approval.required_approvals, policy?.requiredApprovals ?? 0),
      requestedBy: { id: approval.requested_by, name: approval.requested_by_name },
      requestedAt: approval.requested_at.toISOString(),
      expiresAt: approval.expires_at.toISOString(),
      reason: toReason(approval.reason_code, approval.reason_text),
      decisions: decisions.map(({ user_id, user_name, decision, comment, at }) => ({
        user: { id: user_id, name: user_name },
        decision,
        comment,
        at: at.toISOString(),
      })),
      currentUserCanDecide: waits && obstacle === null,
      currentUserObstacle:
        waits && obstacle
          ? { code: obstacle, text: describeApprovalObstacle(obstacle, approver, row.environment_name) }
          : null,
    };
  }

  /**
   * Returns the last emergency override of the environment between seven days before the run was accepted and the run's
   * end.
   */
  async loadProtectionOverride(tx: EntityManager, row: Row): Promise<ProtectionOverrideView | null> {
    const period = { from: row.created_at, until: row.finished_at };
    return toProtectionOverrideView(await findLastOverride(tx, row.tenant_id, row.environment_id, period));
  }

  async loadUnknownHosts(tx: EntityManager, row: Row): Promise<UnknownHostView[]> {
    if (!isFinished(row.status) && row.status !== 'PAUSED') return [];
    const hosts = await rows(
      tx,
      sql<Omit<UnknownHostView, 'check'> & HostCheckRow>`select r.server_id as "serverId", h.name, s.key as "stepKey",
          r.check_asked_at, r.check_asked_by, r.check_asked_by_id, r.checked_at, r.check_finding, r.check_message
        from host_results r
        join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
        join execution_steps s on s.execution_id = r.execution_id and s.step_index = r.step_index
        where r.execution_id = ${row.id} and r.status = 'UNKNOWN' and r.resolution is null
        order by r.step_index, h.ordinal limit ${MAX_UNKNOWN_HOSTS}`,
    );
    return hosts.map((each) => ({
      serverId: each.serverId,
      name: each.name,
      stepKey: each.stepKey,
      check: toHostCheckView(each),
    }));
  }
}
