import type { Reason } from '../../common/http/reason.view.js';
import type { EntityManager } from 'typeorm';
import { row, sql, type Sql } from '../../common/database/sql.js';
import type { ExecutionMode, ExecutionStatus, PauseReason } from '../lifecycle/statuses.js';
import { readSnapshot, type Snapshot } from './execution-row.js';

type TokenEndReason = 'revoked' | 'removed' | 'disabled' | 'expired';

export interface RunRef {
  tenantId: string;
  executionId: string;
}

export interface RunHead {
  status: ExecutionStatus;
  execution_mode: ExecutionMode;
  status_code: Reason['code'] | null;
  status_text: string | null;
  snapshot: Snapshot;
  digest: string;
  plan_id: string;
  plan_name: string;
  environment_id: string;
  created_at: Date;
  started_by: string;
  started_by_name: string;
  owner: string | null;
  epoch: number;
  pause_reason: PauseReason | null;
  pause_step: number | null;
  pause_text: string | null;
  pause_since: Date | null;
  pause_requested_by: string | null;
  pause_requested_by_id: string | null;
  pause_expired: boolean;
  begun: boolean;
  /** Why the starting token can start nothing more; null: it still can, there is no token, or a step has begun. */
  token_end: TokenEndReason | null;
  /** Prefix of the starting token; null: there is no token, or a step has begun. */
  unbegun_token: string | null;
  freeze_override: string | null;
  window_override: string | null;
  admitted: boolean;
}

/** Locks the run's row until the transaction ends. */
export const lockHead = (tx: EntityManager, ref: RunRef): Promise<RunHead | undefined> => loadHead(tx, ref, true);

export const readHead = (tx: EntityManager, ref: RunRef): Promise<RunHead | undefined> => loadHead(tx, ref, false);

/** SQL condition: a token started the run, and no step has begun. */
const isUnstartedTokenRunSql = ({ executionId }: RunRef): Sql => sql`token_prefix is not null
          and not exists (select from execution_steps s where s.execution_id = ${executionId} and s.started_at is not null)`;

async function loadHead(tx: EntityManager, ref: RunRef, lock: boolean): Promise<RunHead | undefined> {
  const found = await row(
    tx,
    sql<RunHead>`select status, execution_mode, status_code, status_text, snapshot, digest, plan_id, plan_name, environment_id, created_at, started_by,
        started_by_name, owner, epoch, pause_reason, pause_step, pause_text, pause_since, pause_requested_by, pause_requested_by_id,
        started_at is not null as begun, freeze_override, window_override, coalesce(pause_expires_at <= now(), false) as pause_expired,
        case when ${isUnstartedTokenRunSql(ref)} then token_prefix end as unbegun_token,
        case when ${isUnstartedTokenRunSql(ref)} then token_end(${ref.tenantId}, token_prefix, ${ref.executionId}) end as token_end,
        not exists (select from guard_queue q where q.tenant_id = ${ref.tenantId} and q.execution_id = ${ref.executionId}) as admitted
      from executions where tenant_id = ${ref.tenantId} and id = ${ref.executionId} ${lock ? sql`for update` : sql.none}`,
  );
  return found && { ...found, snapshot: readSnapshot(found.snapshot) };
}

const TOKEN_END_TEXTS: Readonly<Record<TokenEndReason, string>> = {
  revoked: 'The API token that started it was revoked, or its trust rule has ended.',
  removed: 'The API token that started it was removed.',
  disabled: 'The service account that started it was disabled.',
  expired: 'The API token that started it expired before the run began.',
};

export const toTokenEndReason = (end: TokenEndReason): Reason => ({
  code: 'token_ended',
  text: `${TOKEN_END_TEXTS[end]} Nothing was run. Start it again with a valid token.`,
});

/**
 * Returns why a run in which no step has begun ends with its token; null = the token is valid. Locks the token against
 * revocation and deletion until the transaction ends. So no run of a token begins after its revocation was confirmed.
 */
export async function findTokenEnd(
  tx: EntityManager,
  tenantId: string,
  { token_end, unbegun_token }: Pick<RunHead, 'token_end' | 'unbegun_token'>,
): Promise<TokenEndReason | null> {
  if (token_end || unbegun_token === null) return token_end;
  const token = await row(
    tx,
    sql<{ revoked: boolean }>`select revoked_at is not null as revoked from api_tokens
      where tenant_id = ${tenantId} and prefix = ${unbegun_token} for key share`,
  );
  return token ? (token.revoked ? 'revoked' : null) : 'removed';
}
