import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { isInVisibleEnvironment } from '../common/access/visible-environment.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { invalidRequest, notFound } from '../common/errors/problem.js';
import { decodeCursor, encodeCursor } from '../common/http/cursor.js';
import { cursorId, DEFAULT_LIMIT, type Page, pageFrom } from '../common/http/page.js';
import { isId } from '../common/ids.js';
import type { PlanStep } from '../plans/plan-content.js';
import { AWAITING_RUNS, awaitsCaller } from './awaits-caller.js';
import type { ListExecutionsQuery } from './execution.dto.js';
import type {
  ExecutionHostView,
  ExecutionStepView,
  ExecutionSummaryView,
  ExecutionView,
  HostCounts,
} from './execution.view.js';
import { EXECUTION_COLUMNS, type ExecutionRow, readSnapshot, type Snapshot } from './execution-row.js';
import { RunDetailReader } from './run-detail.reader.js';
import { type HostStatus, isFinished, isSuccessful, type StepStatus } from './lifecycle/statuses.js';

/** How many hosts one answer holds (design: api.md). */
const HOSTS_SHOWN = 500;

/** Runs are as visible as their environment (design: domain §2). */
const VISIBLE = isInVisibleEnvironment('e', { role: '$3', user: '$4' });
const ONE_AWAITS = awaitsCaller('e', { role: '$3', user: '$4' });
const LIST_CALLER = { role: '$12', user: '$13' };
const EACH_AWAITS = awaitsCaller('e', LIST_CALLER);

/** A run as one caller sees it. */
type SeenRun = ExecutionRow & { awaits_caller: boolean };
type SeenWhole = SeenRun & { snapshot: Snapshot; digest: string };

interface StepRow {
  step_index: number;
  key: string;
  name: string;
  type: string;
  status: StepStatus;
  reason: string | null;
  started_at: Date | null;
  finished_at: Date | null;
  counts: HostCounts;
}

interface HostRow {
  server_id: string;
  ordinal: number;
  name: string;
  hostname: string;
  port: number;
  status: HostStatus;
  last_step_key: string | null;
}

/** Runs for screens and CI. Hand-written reads: these are the hottest of the API. */
@Injectable()
export class ExecutionsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly details: RunDetailReader,
  ) {}

  list(caller: Principal, query: ListExecutionsQuery): Promise<Page<ExecutionSummaryView>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const after = cursorId(query.cursor);
    for (const id of [query.planId, query.environmentId, query.serverId, query.startedById, query.parentId]) {
      // A malformed id is nobody's: an empty list, as for one that the caller can't see.
      if (id !== undefined && !isId(id)) return Promise.resolve({ items: [], nextCursor: null });
    }
    return this.units.run(caller.tenantId, async (tx) => {
      const rows = await tx.query<SeenRun[]>(
        `select ${EXECUTION_COLUMNS}, ${EACH_AWAITS} as awaits_caller from executions e
          where e.tenant_id = $1
            and ($2::uuid is null or e.id < $2)
            and ($3::uuid is null or e.plan_id = $3)
            and ($4::uuid is null or e.environment_id = $4)
            and ($5::uuid is null or e.started_by = $5)
            and ($6::text[] is null or e.status = any ($6))
            and ($7::text is null or e.execution_mode = $7)
            and ($8::timestamptz is null or e.created_at >= $8)
            and ($9::timestamptz is null or e.created_at < $9)
            and ($10::uuid is null or exists (select 1 from execution_hosts h where h.execution_id = e.id and h.server_id = $10))
            and ($14::uuid is null or e.parent_id = $14)
            and ${isInVisibleEnvironment('e', LIST_CALLER)}
            ${query.awaiting ? `and e.id = any (${AWAITING_RUNS}) and ${EACH_AWAITS}` : ''}
          order by e.id desc limit $11`,
        [
          caller.tenantId,
          after,
          query.planId ?? null,
          query.environmentId ?? null,
          query.startedById ?? null,
          query.status ?? null,
          query.execution_mode ?? null,
          query.from ?? null,
          query.to ?? null,
          query.serverId ?? null,
          limit + 1,
          caller.role,
          caller.userId,
          query.parentId ?? null,
        ],
      );
      return pageFrom(rows, limit, toSummary);
    });
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
      `select server_id, ordinal, name, hostname, port, status, last_step_key from execution_hosts
        where execution_id = $1 and ordinal > $2 order by ordinal limit $3`,
      [id, after, HOSTS_SHOWN + 1],
    );
    return {
      ...toView(row, steps, hosts),
      pause: this.details.pause(row),
      approval: await this.details.approval(tx, caller, row),
      forecast: await this.details.forecast(tx, caller, row),
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

function ordinalOf(cursor: string | undefined): number {
  if (cursor === undefined) return -1;
  const [ordinal] = decodeCursor(cursor) ?? [];
  if (typeof ordinal === 'number') return ordinal;
  throw invalidRequest([
    {
      path: '?hostsCursor',
      code: 'invalid_cursor',
      message: 'hostsCursor must be the hostsNextCursor of the answer before, unchanged.',
    },
  ]);
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

const toSummary = (row: SeenRun): ExecutionSummaryView => ({
  id: row.id,
  status: row.status,
  finished: isFinished(row.status),
  successful: isSuccessful(row.status),
  statusReason: row.status_code ? { code: row.status_code, text: row.status_text ?? '' } : null,
  execution_mode: row.execution_mode,
  planId: row.plan_id,
  planRevision: row.plan_revision,
  planName: row.plan_name,
  environmentId: row.environment_id,
  environmentName: row.environment_name,
  parentId: row.parent_id,
  pauseReason: row.pause_reason,
  awaitsYou: row.awaits_caller,
  note: row.note,
  startedBy: { id: row.started_by, name: row.started_by_name },
  startedVia: row.started_via,
  tokenPrefix: row.token_prefix,
  createdAt: row.created_at.toISOString(),
  startedAt: iso(row.started_at),
  finishedAt: iso(row.finished_at),
  hostCount: row.host_count,
  version: Number(row.version),
});

function toView(
  row: SeenWhole,
  steps: StepRow[],
  hosts: HostRow[],
): Omit<ExecutionView, 'pause' | 'approval' | 'forecast' | 'unknownHosts'> {
  const shown = hosts.slice(0, HOSTS_SHOWN);
  const self = `/api/executions/${row.id}`;
  const masked = Object.fromEntries(row.snapshot.secretNames.map((name) => [name, `‹secret ${name}›`]));
  return {
    ...toSummary(row),
    digest: row.digest,
    variables: { ...row.snapshot.variables, ...masked },
    targets: row.snapshot.targets,
    pauseRequestedBy: row.pause_requested_by,
    expiresAt: iso(row.pause_expires_at ?? row.deadline_at),
    lastEventId: Number(row.event_seq),
    steps: steps.map((step) => toStepView(step, row.snapshot)),
    hosts: shown.map(toHostView),
    hostsNextCursor: hosts.length > HOSTS_SHOWN ? encodeCursor([shown.at(-1)?.ordinal ?? 0]) : null,
    links: { self, stream: `${self}/stream`, results: `${self}/results`, output: `${self}/output` },
  };
}

function commandOf(step: PlanStep | undefined): string {
  if (step?.type === 'gate') return step.message;
  if (step?.type === 'wait') return step.url ?? `port ${step.port}`;
  if (step?.type === 'template') return step.path;
  if (step?.type === 'script') return [step.interpreter ?? '', ...step.arguments].join(' ').trim();
  return step?.command ?? '';
}

const toStepView = (step: StepRow, snapshot: Snapshot): ExecutionStepView => ({
  key: step.key,
  name: step.name,
  type: step.type,
  command: commandOf(snapshot.plan.steps[step.step_index]),
  always: snapshot.plan.steps[step.step_index]?.always ?? false,
  status: step.status,
  reason: step.reason,
  startedAt: iso(step.started_at),
  finishedAt: iso(step.finished_at),
  counts: step.counts,
});

const toHostView = (host: HostRow): ExecutionHostView => ({
  serverId: host.server_id,
  name: host.name,
  address: `${host.hostname.includes(':') ? `[${host.hostname}]` : host.hostname}:${host.port}`,
  status: host.status,
  lastStepKey: host.last_step_key,
});
