import { toUserReference } from '../../common/http/user-reference.view.js';
import { type Reason, toHostReason, toReason } from '../../common/http/reason.view.js';
import type { EntityManager } from 'typeorm';
import { type FrozenLibrary, listFrozenSources, type RunStep, type ScopePart } from '../record/run-content.js';
import { getRunStepType } from '../steps/types/run-step-types.js';
import { toStepReason, type ExecutionRow, type Snapshot } from '../record/execution-row.js';
import { encodeCursor } from '../../common/http/paging/cursor.js';
import type { PlanStep } from '../../plans/steps/types/step-types.js';
import type {
  ExecutionHostView,
  ExecutionStepView,
  StepPartView,
  ExecutionSummaryView,
  ExecutionView,
  RunWarningView,
} from '../contract/execution.view.js';
import type { HostCounts, FirstFailureView, RunSummaryView, StepCounts } from '../contract/run-summary.view.js';
import { runPageUrl } from '../../common/http/web-pages.js';
import { FAILURE_STATUSES, type HostStatus, isFinished, isSuccessful, type StepStatus } from '../lifecycle/statuses.js';
import { toStartingStep, toStepRules } from '../steps/step-command.js';
import { createStepMatcher } from '../steps/step-targets.js';
import { sql, row, rows, type Sql } from '../../common/database/sql.js';
import { SERVERS_WITHOUT_COMMANDS_SQL } from '../../inventory/ports/servers.sql.js';
import { loadOutputTails } from '../output/output-tail.js';
import { loadDryRunSummary } from './dry-run-summary.js';

export const HOSTS_PER_PAGE = 500;

export type RunRowForCaller = ExecutionRow & { awaits_caller: boolean };
export type FullRunRowForCaller = RunRowForCaller & { snapshot: Snapshot; digest: string };

export interface StepRow {
  step_index: number;
  key: string;
  name: string;
  type: string;
  status: StepStatus;
  reason: string | null;
  reason_code: Reason['code'] | null;
  started_at: Date | null;
  finished_at: Date | null;
  counts: HostCounts;
}

export interface HostRow {
  server_id: string;
  ordinal: number;
  name: string;
  hostname: string;
  port: number;
  tags: Record<string, string>;
  status: HostStatus;
  last_step_key: string | null;
}

const toIsoTime = (date: Date | null): string | null => date?.toISOString() ?? null;

export const toExecutionSummary = (row: RunRowForCaller, publicUrl: string): ExecutionSummaryView => ({
  id: row.id,
  status: row.status,
  finished: isFinished(row.status),
  successful: isFinished(row.status) ? isSuccessful(row.status) : null,
  statusReason: toReason(row.status_code, row.status_text),
  execution_mode: row.execution_mode,
  planId: row.plan_id,
  planRevision: row.plan_revision,
  planName: row.plan_name,
  environmentId: row.environment_id,
  environmentName: row.environment_name,
  parentId: row.parent_id,
  pauseReason: row.pause_reason,
  awaitsYou: row.awaits_caller,
  queue: row.queue && {
    waitsFor: row.queue.reason,
    position: row.queue.position,
    since: new Date(row.queue.since).toISOString(),
    startAt: toIsoTime(row.start_at),
    expiresAt: row.queue.expires_at && new Date(row.queue.expires_at).toISOString(),
  },
  onOverlap: row.on_overlap,
  startAt: toIsoTime(row.start_at),
  note: row.note,
  labels: row.labels,
  freezeOverride: row.freeze_override,
  windowOverride: row.window_override,
  startedBy: { id: row.started_by, name: row.started_by_name },
  startedVia: row.started_via,
  schedule: row.schedule_id === null ? null : { id: row.schedule_id, name: row.schedule_name ?? '' },
  tokenPrefix: row.token_prefix,
  createdAt: row.created_at.toISOString(),
  startedAt: toIsoTime(row.started_at),
  finishedAt: toIsoTime(row.finished_at),
  updatedAt: row.updated_at.toISOString(),
  hostCount: row.host_count,
  pin: row.pinned_at
    ? {
        ...{
          at: row.pinned_at.toISOString(),
          by: toUserReference(row.pinned_by, row.pinned_by_name),
          note: row.pin_note,
        },
        legalHold: row.legal_hold,
        liftRequest:
          row.lift_by !== null && row.lift_until !== null
            ? { by: { id: row.lift_by, name: row.lift_by_name ?? '' }, expiresAt: row.lift_until.toISOString() }
            : null,
      }
    : null,
  version: Number(row.version),
  webUrl: runPageUrl(publicUrl, row.id),
});

export function toExecutionView(
  row: FullRunRowForCaller,
  steps: StepRow[],
  hosts: HostRow[],
  publicUrl: string,
): Omit<
  ExecutionView,
  'pause' | 'queue' | 'approval' | 'protectionOverride' | 'forecast' | 'summary' | 'unknownHosts' | 'warnings'
> {
  const page = hosts.slice(0, HOSTS_PER_PAGE);
  const targetedBy = createStepMatcher(row.snapshot.plan.steps);
  const self = `/api/executions/${row.id}`;
  const masked = Object.fromEntries(row.snapshot.secretNames.map((name) => [name, `‹secret ${name}›`]));
  const summary = toExecutionSummary(row, publicUrl);
  return {
    ...summary,
    digest: row.digest,
    gitContent: listFrozenSources(row.snapshot.library),
    variables: { ...row.snapshot.variables, ...masked },
    variableSources: toVariableSources(row),
    targets: row.snapshot.targets,
    inherited: toInheritedView(row.snapshot),
    pauseRequestedBy: toUserReference(row.pause_requested_by_id, row.pause_requested_by),
    expiresAt: toIsoTime(row.pause_expires_at ?? row.deadline_at) ?? summary.queue?.expiresAt ?? null,
    lastEventId: Number(row.event_seq),
    steps: steps.map((step) => toStepView(step, row.snapshot)),
    hosts: page.map((host) => ({ ...toHostView(host), targetedBy: targetedBy(host) })),
    hostsNextCursor: hosts.length > HOSTS_PER_PAGE ? encodeCursor([page.at(-1)?.ordinal ?? 0]) : null,
    links: { self, stream: `${self}/stream`, results: `${self}/results`, output: `${self}/output` },
  };
}

/** In a rerun, values of a start request come from the original run. */
function toVariableSources({ snapshot, ...run }: FullRunRowForCaller): ExecutionView['variableSources'] {
  const ofStart = run.schedule_name !== null ? 'schedule' : run.parent_id !== null ? 'rerun' : 'start';
  const sources = Object.entries(snapshot.valueSources ?? {});
  const known = sources.length > 0 ? sources : (snapshot.given ?? []).map((name) => [name, 'start'] as const);
  return Object.fromEntries(
    known.map(([name, source]) => [name, source === 'start' || source === 'server' ? ofStart : source]),
  );
}

const toInheritedView = ({ inherited }: Snapshot): ExecutionView['inherited'] =>
  inherited ? { results: inherited.results, done: inherited.done } : null;

function getCommandText(step: PlanStep | undefined, library: FrozenLibrary | undefined): string {
  if (!step) return '';
  const type = getRunStepType(step);
  return type.getLine?.(step, library) ?? type.getSubject(step);
}

function reportsChange(step: PlanStep | undefined): boolean {
  const starting = step && toStartingStep(step);
  if (!starting) return false;
  const rules = toStepRules(starting);
  return rules.reportsChange || rules.changedExitCodes.length > 0;
}

const toStepView = (step: StepRow, snapshot: Snapshot): ExecutionStepView => ({
  key: step.key,
  name: step.name,
  type: step.type,
  command: getCommandText(snapshot.plan.steps[step.step_index], snapshot.library),
  path: toStepPath(snapshot.plan.steps[step.step_index]),
  always: snapshot.plan.steps[step.step_index]?.always ?? false,
  reportsChange: reportsChange(snapshot.plan.steps[step.step_index]),
  status: step.status,
  reason: toStepReason(step),
  startedAt: toIsoTime(step.started_at),
  finishedAt: toIsoTime(step.finished_at),
  counts: step.counts,
});

export const toStepPath = (step: RunStep | undefined): StepPartView[] => (step?.scope?.path ?? []).map(toStepPartView);

const toStepPartView = ({ key, plan, item }: ScopePart): StepPartView => ({
  key,
  planId: plan?.id ?? null,
  planName: plan?.name ?? null,
  planRevision: plan?.revision ?? null,
  item: item?.value ?? null,
  index: item?.index ?? null,
});

/** Host and port; an IPv6 address is in brackets. */
export const toHostAddress = ({ hostname, port }: Pick<HostRow, 'hostname' | 'port'>): string =>
  `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;

const toHostView = (host: HostRow): Omit<ExecutionHostView, 'targetedBy'> => ({
  serverId: host.server_id,
  name: host.name,
  address: toHostAddress(host),
  status: host.status,
  lastStepKey: host.last_step_key,
  tags: host.tags,
});

const MAX_NAMED_HOSTS = 20;

export interface HostsWithoutCommands {
  count: number;
  names: string[];
}

/**
 * SQL: hosts of the run `e` whose login cannot run commands. Null when a real run has begun, because its results show
 * these hosts.
 */
export const HOSTS_WITHOUT_COMMANDS_SQL = sql`case when e.started_at is null or e.execution_mode = 'dry_run' then
    (select json_build_object('count', count(*), 'names', coalesce((array_agg(w.name order by w.ordinal))[1:${MAX_NAMED_HOSTS}::int], '{}'))
      from (select h.name, h.ordinal from execution_hosts h join ${SERVERS_WITHOUT_COMMANDS_SQL} s on s.tenant_id = e.tenant_id and s.id = h.server_id
        where h.execution_id = e.id) w) end`;

export function toRunWarnings(found: HostsWithoutCommands | null): RunWarningView[] {
  if (!found || found.count === 0) return [];
  const { count, names } = found;
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  const text = `Runward can sign in to ${names.map((name) => `"${name}"`).join(', ')}${more}, but the login cannot run commands there, so steps fail. Diagnose these servers, or select other targets.`;
  return [{ reason: { code: 'no_commands', text }, hosts: names, hostCount: count }];
}

/** SQL: hosts on which a step is connecting or running, with that status. Their own status changes only when they drop out. */
export const selectWorkingHostsSql = (executionId: Sql): Sql => sql`(
    select r.server_id, max(r.status) as status
      from execution_steps s join host_results r on r.execution_id = s.execution_id and r.step_index = s.step_index
      where s.execution_id = ${executionId} and r.execution_id = ${executionId} and s.status = 'RUNNING'
        and r.status in ('CONNECTING', 'RUNNING') group by r.server_id)`;

const MAX_LAST_LINES = 5;

export interface RunFacts {
  row: FullRunRowForCaller;
  steps: readonly StepRow[];
  /** All hosts; null: the response has only some of the hosts. */
  hosts: readonly HostRow[] | null;
}

const NO_DRY_RUN_FIELDS = { verdicts: null, changingHosts: null, blockedHosts: null, steps: null };

const findFirstFailedStep = ({ steps }: Pick<RunFacts, 'steps'>): StepRow | undefined =>
  steps.find(({ counts }) => Object.keys(counts).some((status) => FAILURE_STATUSES.has(status as HostStatus)));

export const needsFullSummary = (facts: RunFacts): boolean =>
  facts.hosts === null || facts.row.execution_mode === 'dry_run' || findFirstFailedStep(facts) !== undefined;

export const toShortSummary = ({ row, steps, hosts }: RunFacts): RunSummaryView => ({
  hostCounts: countByStatus(hosts ?? []),
  stepCounts: countByStatus(steps),
  durationMs: row.started_at && row.finished_at ? row.finished_at.getTime() - row.started_at.getTime() : null,
  firstFailure: null,
  ...NO_DRY_RUN_FIELDS,
});

export async function loadRunSummary(tx: EntityManager, facts: RunFacts): Promise<RunSummaryView> {
  const failedStep = findFirstFailedStep(facts);
  return {
    ...toShortSummary(facts),
    ...(facts.hosts === null ? { hostCounts: await loadHostCounts(tx, facts.row.id) } : {}),
    ...(failedStep ? { firstFailure: await loadFirstFailureOfStep(tx, facts.row.id, failedStep) } : {}),
    ...((await loadDryRunSummary(tx, facts.row)) ?? NO_DRY_RUN_FIELDS),
  };
}

function countByStatus(rows: readonly { status: keyof HostCounts | keyof StepCounts }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function loadHostCounts(tx: EntityManager, id: string): Promise<HostCounts> {
  const counts = await rows(
    tx,
    sql<{ status: HostStatus; count: number }>`
      select coalesce(w.status, h.status) as status, count(*)::int as count
        from execution_hosts h left join ${selectWorkingHostsSql(sql`${id}::uuid`)} w on w.server_id = h.server_id
        where h.execution_id = ${id} group by 1`,
  );
  return Object.fromEntries(counts.map(({ status, count }) => [status, count]));
}

/** Null: no host failed. */
export async function findFirstFailure(
  tx: EntityManager,
  id: string,
  steps: readonly StepRow[],
): Promise<FirstFailureView | null> {
  const failedStep = findFirstFailedStep({ steps });
  return failedStep ? loadFirstFailureOfStep(tx, id, failedStep) : null;
}

type FailureRow = Omit<FirstFailureView, 'lastLines' | 'stepKey' | 'reason'> & {
  code: Reason['code'] | null;
  message: string | null;
};

async function loadFirstFailureOfStep(tx: EntityManager, id: string, step: StepRow): Promise<FirstFailureView | null> {
  const failure = await row(
    tx,
    sql<FailureRow>`
      select r.server_id as "serverId", h.name as "serverName", r.status, r.exit_code as "exitCode", r.code, r.message
      from host_results r join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
      where r.execution_id = ${id} and r.step_index = ${step.step_index} and r.status = any (${[...FAILURE_STATUSES]})
      order by r.finished_at, h.ordinal limit 1`,
  );
  if (!failure) return null;
  const tails = await loadOutputTails(tx, { executionId: id }, step.step_index, [failure.serverId], MAX_LAST_LINES);
  const { code, message, ...result } = failure;
  const reason = toHostReason(code, message);
  return { ...result, reason, stepKey: step.key, lastLines: tails.get(failure.serverId) ?? [] };
}
