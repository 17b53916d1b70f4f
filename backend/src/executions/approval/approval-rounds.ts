import { type Reason } from '../../common/http/reason.view.js';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import type { RunRef } from '../record/run-head.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import type { RunState } from '../lifecycle/run-state.js';
import type { ExecutionStatus } from '../lifecycle/statuses.js';
import type { NewRunEvent } from '../output/run-events.js';
import { RunSecrets } from '../record/run-secrets.js';
import type { FurtherRequester } from './rights-from-requesters.js';
import { insertAuthors } from './author-rows.js';
import type { Author } from './authors/author-kinds.js';
import { limitAuthors, RunAuthors, type RunContentUse, type RunConnectionUse } from './authors/run-authors.js';
import { findOutsideAuthors } from './authors/outside-authors.js';

type ApprovalState = 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'superseded';

export interface ApprovalRow {
  round: number;
  state: ApprovalState;
  required_approvals: number;
  allow_self_approval: boolean;
  digest: string;
  requested_by: string;
  requested_by_name: string;
  requested_at: Date;
  expires_at: Date;
  reason_code: Reason['code'] | null;
  reason_text: string | null;
}

export interface ApprovalDecisionRow {
  user_id: string;
  user_name: string;
  decision: 'approved' | 'rejected';
  comment: string | null;
  at: Date;
}

/** Returns the latest request; undefined = the run never needed approval. */
export const findLatestApproval = (tx: EntityManager, { executionId }: RunRef): Promise<ApprovalRow | undefined> =>
  row(
    tx,
    sql<ApprovalRow>`
      select round, state, required_approvals, allow_self_approval, digest, requested_by, requested_by_name,
        requested_at, expires_at, reason_code, reason_text
      from approvals where execution_id = ${executionId} order by round desc limit 1`,
  );

export const listApprovalDecisions = (
  tx: EntityManager,
  { executionId }: RunRef,
  round: number,
): Promise<ApprovalDecisionRow[]> =>
  rows(
    tx,
    sql<ApprovalDecisionRow>`
      select user_id, user_name, decision, comment, at from approval_decisions
      where execution_id = ${executionId} and round = ${round} and withdrawn_at is null order by at, user_id`,
  );

export interface NewApproval {
  round: number;
  requiredApprovals: number;
  allowSelfApproval: boolean;
  ttlSeconds: number;
  digest: string;
  requestedBy: string;
  requestedByName: string;
  reason: Reason | null;
}

async function insertApproval(
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  approval: NewApproval,
): Promise<void> {
  const { round, requiredApprovals, allowSelfApproval, ttlSeconds, digest, reason } = approval;
  await affected(
    tx,
    sql`insert into approvals (tenant_id, execution_id, round, state, required_approvals, allow_self_approval, digest, requested_by,
        requested_by_name, expires_at, reason_code, reason_text)
      values (${tenantId}, ${executionId}, ${round}, 'pending', ${requiredApprovals}, ${allowSelfApproval}, ${digest},
        ${approval.requestedBy}, ${approval.requestedByName},
        -- A late approval must not start a planned run outside its maintenance time.
        coalesce(
          (select start_at from executions where tenant_id = ${tenantId} and id = ${executionId} and start_at > now()),
          now() + make_interval(secs => ${ttlSeconds})
        ), ${reason?.code ?? null}, ${reason?.text ?? null})`,
  );
  await affected(
    tx,
    sql`update executions e set pause_expires_at = a.expires_at from approvals a
      where e.id = ${executionId} and a.execution_id = ${executionId} and a.round = ${round}`,
  );
}

const setApprovalState = (
  tx: EntityManager,
  { executionId }: RunRef,
  round: number,
  state: ApprovalState,
): Promise<unknown> =>
  affected(
    tx,
    sql`update approvals set state = ${state}, decided_at = now() where execution_id = ${executionId} and round = ${round}`,
  );

const APPROVAL_STATE_BY_RUN_STATUS: Partial<Record<ExecutionStatus, ApprovalState>> = {
  PENDING: 'approved',
  REJECTED: 'rejected',
  EXPIRED: 'expired',
  CANCELLED: 'cancelled',
  CANCELLING: 'cancelled',
};

export interface ApprovalPolicy {
  requiredApprovals: number;
  allowSelfApproval: boolean;
  approvalTtlSeconds: number;
}

@Injectable()
export class ApprovalRounds {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly authors: RunAuthors,
    private readonly secrets: RunSecrets,
  ) {}

  async requestApproval(
    tx: EntityManager,
    ref: RunRef,
    policy: ApprovalPolicy,
    reason: Reason | null = null,
  ): Promise<NewRunEvent> {
    const run = await row(
      tx,
      sql<ApprovalRoundRun>`
        select digest, started_by, started_by_name, plan_id, plan_name, plan_revision, environment_id, askers, commit_authors,
          jsonb_build_object('library', snapshot->'library', 'calledPlans', snapshot->'calledPlans',
            'jumpServers', snapshot->'jumpServers', 'given', snapshot->'given') as snapshot
        from executions where id = ${ref.executionId}`,
    );
    if (!run) throw new Error('The run that waits for approval is gone.');
    const previous = await findLatestApproval(tx, ref);
    if (previous && (previous.state === 'pending' || previous.state === 'approved'))
      await setApprovalState(tx, ref, previous.round, 'superseded');
    const round = (previous?.round ?? 0) + 1;
    await insertApproval(tx, ref, {
      round,
      requiredApprovals: policy.requiredApprovals,
      allowSelfApproval: policy.allowSelfApproval,
      ttlSeconds: policy.approvalTtlSeconds,
      digest: run.digest,
      requestedBy: run.started_by,
      requestedByName: run.started_by_name,
      reason,
    });
    const requesters = run.askers ?? [];
    const authors = limitAuthors(await this.findRoundAuthors(tx, ref, run));
    const outside = await findOutsideAuthors(tx, this.environments, ref.tenantId, run.environment_id, authors);
    await insertAuthors(tx, ref, round, [
      ...requesters,
      ...authors.map((author) => ({ ...author, outside: outside.has(author) })),
    ]);
    const { requiredApprovals } = policy;
    return { type: 'approval.requested', data: { digest: run.digest, requiredApprovals, reason } };
  }

  private async findRoundAuthors(tx: EntityManager, ref: RunRef, run: ApprovalRoundRun): Promise<Author[]> {
    const use = {
      ...{ ...ref, planId: run.plan_id, planName: run.plan_name, planRevision: run.plan_revision },
      ...{ environmentId: run.environment_id, snapshot: omitNullFields(run.snapshot) },
    };
    const before = await this.authors.findBaseline(tx, use, true);
    const commits = run.commit_authors ?? (await this.findUnreadCommitAuthors(tx, use));
    return [
      ...(await this.authors.findContentAuthors(tx, use, before)),
      ...commits,
      ...(await this.authors.findConnectionAuthors(tx, use, before)),
    ];
  }

  /** Returns one author "unknown" for each git source, for a run whose start did not read the authors of commits. */
  private async findUnreadCommitAuthors(tx: EntityManager, use: RunContentUse): Promise<Author[]> {
    const files = await this.authors.listUsedFiles(tx, use);
    const sources = new Map(files.map((file) => [file.sourceName, file.commit.slice(0, 12)]));
    const authorName = 'Unknown: commits were not read at the start';
    return [...sources].map(([name, detail]) => ({
      ...{ userId: null, kind: 'git_commit', name, revision: null, detail, authorName },
    }));
  }

  /** Updates approval requests after a change of the run's status: closes an answered request, or opens a new one. */
  async applyRunChange(tx: EntityManager, ref: RunRef, before: RunState, after: RunState): Promise<NewRunEvent[]> {
    if (before.pause?.reason === 'APPROVAL') {
      const state = APPROVAL_STATE_BY_RUN_STATUS[after.status];
      const open = state && (await findLatestApproval(tx, ref));
      if (open && state) await setApprovalState(tx, ref, open.round, state);
      return [];
    }
    if (after.pause?.reason !== 'APPROVAL') return [];
    const { clearance } = before;
    await this.secrets.refreshServerSecrets(tx, ref);
    const policy = await this.environments.readApprovalPolicy(tx, ref.tenantId, await loadEnvironmentName(tx, ref));
    return [await this.requestApproval(tx, ref, policy, clearance.kind === 'reapprove' ? clearance.reason : null)];
  }
}

interface ApprovalRoundRun {
  digest: string;
  started_by: string;
  started_by_name: string;
  plan_id: string;
  plan_name: string;
  plan_revision: number;
  environment_id: string;
  askers: FurtherRequester[] | null;
  commit_authors: Author[] | null;
  snapshot: Record<keyof UsedSnapshot, unknown>;
}

type UsedSnapshot = RunContentUse['snapshot'] & RunConnectionUse['snapshot'];

const omitNullFields = (snapshot: ApprovalRoundRun['snapshot']): UsedSnapshot =>
  Object.fromEntries(Object.entries(snapshot).filter(([, value]) => value !== null)) as UsedSnapshot;

async function loadEnvironmentName(tx: EntityManager, { executionId }: RunRef): Promise<string> {
  const run = await row(
    tx,
    sql<{ environment_id: string }>`select environment_id from executions where id = ${executionId}`,
  );
  return run?.environment_id ?? '';
}
