import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EnvironmentReader, type EnvironmentRights } from '../../environments/environment.reader.js';
import { mayApprove, mayRun } from '../../environments/grant-policy.js';
import { describeClosedWindow, computeWindowState } from '../../environments/windows/run-windows.js';
import {
  SameHostKeys,
  formatSameKeyPairs,
  type KeyedHost,
  type SameKeyPair,
} from '../../inventory/machines/same-host-keys.js';
import { ProtectedHosts, formatProtectedHosts, type QueriedHost } from '../../inventory/machines/protected-hosts.js';
import { describeFreeze } from '../../collections/collection-reader.js';
import { RunPlanReader } from '../../plans/records/run-plan.reader.js';
import { CLEARED, type RunClearance } from '../lifecycle/run-state.js';
import { type RunHead, type RunRef, findTokenEnd, toTokenEndReason } from '../record/run-head.js';
import { describeChangedSecrets, RunSecrets } from '../record/run-secrets.js';
import { isApproved } from './approval-policy.js';
import { findAuthorsAmongUsers } from './author-rows.js';
import { type ApprovalRow, listApprovalDecisions, findLatestApproval } from './approval-rounds.js';
import { listPlanIds } from '../record/execution-row.js';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { ENABLED_SERVERS_SQL } from '../../inventory/ports/servers.sql.js';

const MAX_NAMED_HOSTS = 5;

const toReapprovalClearance = (code: ReasonCode, text: string): RunClearance => ({
  kind: 'reapprove',
  reason: { code, text },
});
const toRevokedClearance = (code: ReasonCode, text: string): RunClearance => ({
  kind: 'revoked',
  reason: { code, text },
});

/**
 * Decides whether a run may continue with its next step, from the current state, not that of the start. The requester
 * must still be allowed to run, the approvers to approve, and the approved content must be unchanged. Before the first
 * step, further rules apply: hosts are unchanged, no freeze or run window delays the run, and the token that started
 * the run is valid.
 */
@Injectable()
export class ClearanceCheck {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly protectedHosts: ProtectedHosts,
    private readonly sameKeys: SameHostKeys,
    private readonly secrets: RunSecrets,
    private readonly plans: RunPlanReader,
  ) {}

  /** @param movingHosts IDs of hosts to advance independently; null = the whole run */
  async getClearance(
    tx: EntityManager,
    ref: RunRef,
    head: RunHead,
    movingHosts: readonly string[] | null = null,
  ): Promise<RunClearance> {
    const end = await findTokenEnd(tx, ref.tenantId, head);
    if (end) return { kind: 'revoked', reason: toTokenEndReason(end) };
    const approval = await findLatestApproval(tx, ref);
    const decisions = approval ? await listApprovalDecisions(tx, ref, approval.round) : [];
    const approvers = decisions.filter(({ decision }) => decision === 'approved');
    const environmentRights = await this.environments.readRights(tx, ref.tenantId, head.environment_id, [
      head.started_by,
      ...approvers.map(({ user_id }) => user_id),
    ]);
    if (!environmentRights) return toRevokedClearance('environment_gone', 'The environment of the run was deleted.');
    const starter = environmentRights.of(head.started_by);
    if (!starter || !mayRun(starter)) {
      const text = `${head.started_by_name}, who started it, may no longer run in "${environmentRights.name}".`;
      return toRevokedClearance('starter_not_allowed', text);
    }
    const protectedMatches = await this.protectedHosts.findAmongHosts(
      tx,
      ref.tenantId,
      head.environment_id,
      selectFrozenHostsSql(ref, movingHosts),
      { createdAt: head.created_at, begun: head.begun },
    );
    if (protectedMatches.length > 0) {
      // The run's approvers cannot permit it: another environment protects these hosts.
      const since = head.begun ? '' : ' An approver confirmed that after this run was accepted. Nothing was run.';
      return toRevokedClearance('protected_host', `${formatProtectedHosts(protectedMatches)}${since}`);
    }
    if (head.execution_mode === 'dry_run') return CLEARED;
    const gone = await findHostsMissingBeforeStart(tx, ref, head.environment_id, MAX_NAMED_HOSTS + 1);
    if (gone.length > 0) return toMissingHostsClearance(gone, environmentRights.name);
    const changedHosts = await findHostsChangedBeforeStart(tx, ref, this.sameKeys);
    if (changedHosts.length > 0)
      return toRevokedClearance('same_host_key', `${formatSameKeyPairs(changedHosts)} Nothing was run.`);
    const clearance = approval
      ? await this.getApprovalClearance(tx, ref, head, approval, approvers, environmentRights)
      : environmentRights.protected
        ? toProtectedClearance(environmentRights.name)
        : CLEARED;
    if (clearance.kind !== 'clear' || head.begun) return clearance;
    return getWindowClearance(head, environmentRights) ?? (await this.getFreezeClearance(tx, ref, head));
  }

  private async getFreezeClearance(tx: EntityManager, ref: RunRef, head: RunHead): Promise<RunClearance> {
    if (head.freeze_override !== null) return CLEARED;
    const freeze = await this.plans.freeze(tx, ref.tenantId, listPlanIds(head));
    if (!freeze) return CLEARED;
    return {
      kind: 'held',
      reason: { code: 'collection_frozen', text: `${describeFreeze(freeze)} The run begins then.` },
    };
  }

  private async getApprovalClearance(
    tx: EntityManager,
    ref: RunRef,
    head: RunHead,
    approval: ApprovalRow,
    approvers: { user_id: string; user_name: string }[],
    environmentRights: EnvironmentRights,
  ): Promise<RunClearance> {
    if (approval.state !== 'approved') return toProtectedClearance(environmentRights.name);
    if (approval.digest !== head.digest)
      return toReapprovalClearance('snapshot_changed', 'The content of the run has changed since its approval.');
    const ids = approvers.map(({ user_id }) => user_id);
    const own = await this.findApproversAmongAuthors(tx, ref, head, approval, ids);
    const stillMayApprove = (userId: string): boolean => {
      const rights = environmentRights.of(userId);
      return rights !== null && mayApprove(rights) && !own.has(userId);
    };
    if (!isApproved(ids, stillMayApprove, approval.required_approvals)) {
      const names = approvers.filter(({ user_id }) => !stillMayApprove(user_id)).map(({ user_name }) => user_name);
      return toReapprovalClearance(
        'approver_not_allowed',
        `${names.join(', ')}, who approved it, may no longer approve here.`,
      );
    }
    const changed = await this.secrets.findChangedSecrets(tx, ref, head.environment_id, head.snapshot);
    if (changed.length === 0) return CLEARED;
    const which = describeChangedSecrets(changed);
    const text = `The secret ${which} was changed after the approval. The run would use the new value, so it waits for approval again.`;
    return toReapprovalClearance('secret_changed', text);
  }

  /** Returns approvers who are requesters or authors of the run, unless the environment allows self-approval. */
  private async findApproversAmongAuthors(
    tx: EntityManager,
    ref: RunRef,
    head: RunHead,
    { round, requested_by }: ApprovalRow,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const { allowSelfApproval } = await this.environments.readApprovalPolicy(tx, ref.tenantId, head.environment_id);
    if (allowSelfApproval) return new Set();
    return new Set([requested_by, ...(await findAuthorsAmongUsers(tx, ref, round, ids)).keys()]);
  }
}

function getWindowClearance(head: RunHead, { name, runWindows, now }: EnvironmentRights): RunClearance | null {
  if (runWindows === null || head.window_override !== null) return null;
  const state = computeWindowState(runWindows, now);
  if (state.open) return null;
  return {
    kind: 'held',
    reason: {
      code: 'outside_run_window',
      text: `${describeClosedWindow(name, runWindows, state)} The run begins then.`,
    },
  };
}

function toMissingHostsClearance(names: readonly string[], environment: string): RunClearance {
  const listed = names.slice(0, MAX_NAMED_HOSTS).map((name) => `"${name}"`);
  const more = names.length > MAX_NAMED_HOSTS ? ' and others' : '';
  const are = names.length === 1 ? 'is no longer an enabled server' : 'are no longer enabled servers';
  const text = `${listed.join(', ')}${more} ${are} of "${environment}". Nothing was run. Start it again with the current servers.`;
  return toRevokedClearance('hosts_gone', text);
}

const toProtectedClearance = (name: string): RunClearance =>
  toReapprovalClearance('environment_protected', `"${name}" is protected now: runs need approval there.`);

/** Query for the frozen hosts of a run, or for some of them, with the addresses that the run connected to. */
const selectFrozenHostsSql = ({ executionId }: RunRef, ids: readonly string[] | null = null): Sql<QueriedHost> =>
  sql<QueriedHost>`select server_id as id, name, hostname, port, reached_address as reached,
      coalesce(more_host_keys, '[]') || coalesce(host_key, '[]') as pins, ordinal as at
    from execution_hosts where execution_id = ${executionId} ${ids ? sql`and server_id = any (${ids}::uuid[])` : sql.none}`;

/** Returns pairs of hosts of a run with the same host key, which are one machine. Empty once a step has begun. */
async function findHostsChangedBeforeStart(
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  sameKeys: SameHostKeys,
): Promise<SameKeyPair<{ name: string }>[]> {
  const hosts = await rows(
    tx,
    sql<KeyedHost>`
      select server_id as id, name, username, host_key as "hostKey", more_host_keys as "moreHostKeys" from execution_hosts
      where tenant_id = ${tenantId} and execution_id = ${executionId}
        and not exists (select 1 from execution_steps where execution_id = ${executionId} and started_at is not null)
      order by ordinal`,
  );
  return sameKeys.findSameKeyPairs(tx, tenantId, hosts);
}

/**
 * Returns the names of at most `limit` hosts of a run that are no longer enabled servers of the environment. Empty once
 * a step has begun, because such a run continues.
 */
async function findHostsMissingBeforeStart(
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  environmentId: string,
  limit: number,
): Promise<string[]> {
  const missing = await rows(
    tx,
    sql<{ name: string }>`
      select h.name from execution_hosts h
      where h.execution_id = ${executionId}
        and not exists (select 1 from execution_steps where execution_id = ${executionId} and started_at is not null)
        and not exists (select 1 from ${ENABLED_SERVERS_SQL} s
          where s.tenant_id = ${tenantId} and s.id = h.server_id and s.environment_id = ${environmentId})
      order by h.ordinal limit ${limit}`,
  );
  return missing.map(({ name }) => name);
}
