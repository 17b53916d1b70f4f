import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { sql } from '../../common/database/sql.js';
import {
  IsOptionalField,
  OptionalInstant,
  OptionalOneOf,
  QueryBoolean,
  QueryList,
  QueryText,
} from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { toLikePattern } from '../../common/http/paging/page.js';
import { parseLabel, QueryLabels } from '../contract/run-labels.js';
import {
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
} from '../lifecycle/statuses.js';
import { filterByIndex, filterByRows, filterByValues, type RunFilter, RUNS_SCAN } from './run-filter.js';

export class ListExecutionsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;

  @QueryId()
  planId?: string;

  @QueryId()
  environmentId?: string;

  @QueryId()
  serverId?: string;

  @QueryId()
  startedById?: string;

  /** Only reruns of this run. */
  @QueryId()
  parentId?: string;

  /** `me`: only runs that wait for an action that you may take (`awaitsYou` is true). */
  @ApiProperty({ enum: ['me'], required: false })
  @IsOptionalField()
  @IsIn(['me'], { message: 'awaiting must be me' })
  awaiting?: 'me';

  /** Only runs with this label, as `key=value`. Repeat the parameter to require several labels. */
  @QueryLabels()
  label?: string[];

  /** Repeat the parameter for several statuses. */
  @QueryList(EXECUTION_STATUSES)
  status?: ExecutionStatus[];

  @OptionalOneOf(EXECUTION_MODES)
  execution_mode?: ExecutionMode;

  /** `true`: only runs under a legal hold; `false`: only other runs. */
  @QueryBoolean()
  legalHold?: boolean;

  /** Runs started at or after this time. */
  @OptionalInstant()
  from?: string;

  /** Runs started before this time. */
  @OptionalInstant()
  to?: string;

  /** Runs finished at or after this time. */
  @OptionalInstant()
  finishedFrom?: string;

  /** Runs finished before this time. */
  @OptionalInstant()
  finishedTo?: string;

  /** Runs whose record changed at or after this time, such as its status. Output alone is not a change. */
  @OptionalInstant()
  updatedFrom?: string;

  /**
   * Runs whose plan name, note or labels (`key=value`) contain this text, not case-sensitive. The last 8 or more
   * characters of an ID, or a whole ID, find only that run.
   */
  @QueryText()
  q?: string;
}

/** `awaiting` is missing: `listRunScans` reads all runs that wait for a decision. */
type FilterValues = Required<Omit<ListExecutionsQuery, keyof PageQuery | 'sort' | 'awaiting'>>;

/** Filters of each query parameter; a run must match all of them. */
const FILTERS: { [F in keyof FilterValues]: (value: FilterValues[F]) => RunFilter | RunFilter[] } = {
  serverId: (id) => filterByRows(sql`execution_hosts`, sql`h`, sql`h.server_id = ${id}::uuid`),
  label: (labels) => [...new Set(labels)].map(filterByLabel),
  parentId: (id) => filterByIndex(sql`e.parent_id = ${id}::uuid`),
  planId: (id) => filterByIndex(sql`e.plan_id = ${id}::uuid`, 'plan'),
  startedById: (id) => filterByIndex(sql`e.started_by = ${id}::uuid`, 'starter'),
  environmentId: (id) => filterByIndex(sql`e.environment_id = ${id}::uuid`, 'environment'),
  status: (list) => (list.length > 0 ? filterByValues(sql`e.status`, sql`text`, [...new Set(list)], 'status') : []),
  legalHold: (held) => (held ? filterByIndex(sql`e.legal_hold`) : { condition: sql`not e.legal_hold` }),
  execution_mode: (mode) => filterByIndex(sql`e.execution_mode = ${mode}::text`, 'mode'),
  from: (at) => ({ condition: sql`e.created_at >= ${at}::timestamptz` }),
  to: (at) => ({ condition: sql`e.created_at < ${at}::timestamptz` }),
  finishedFrom: (at) => [filterByChangeSince(at), { condition: sql`e.finished_at >= ${at}::timestamptz` }],
  finishedTo: (at) => ({ condition: sql`e.finished_at < ${at}::timestamptz` }),
  updatedFrom: (at) => [filterByChangeSince(at), { condition: sql`e.updated_at >= ${at}::timestamptz` }],
  q: filterByText,
};

function filterByLabel(label: string): RunFilter {
  const { key, value } = parseLabel(label) ?? { key: '', value: '' };
  return filterByRows(sql`execution_labels`, sql`l`, sql`l.key = ${key}::text and l.value = ${value}::text`);
}

/** Maximum number of days for which each day has its own index range. */
const MAX_DAYS = 31;
const DAY_MS = 86_400_000;

/** Filters by the days of the last change, from the day of a time to tomorrow. Earlier times have no index. */
function filterByChangeSince(at: string): RunFilter {
  const first = Math.floor(Date.parse(at) / DAY_MS);
  const dayCount = Math.floor(Date.now() / DAY_MS) + 2 - first;
  const condition = sql`e.updated_on >= (${at}::timestamptz at time zone 'UTC')::date`;
  if (dayCount > MAX_DAYS) return { condition };
  const days = Array.from({ length: Math.max(0, dayCount) }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  );
  const keys = sql`${sql.value(days)}::date[]`;
  const matches = sql`e.updated_on = stretch.key`;
  return { condition, scan: { ...RUNS_SCAN, matches, stretches: { keys, count: Math.max(1, days.length) } } };
}

function filterByText(text: string): RunFilter {
  const pattern = toLikePattern(text);
  const label = sql`exists (select from jsonb_each_text(e.labels) l where l.key || '=' || l.value ilike ${pattern})`;
  return { condition: sql`(e.plan_name ilike ${pattern} or e.note ilike ${pattern} or ${label})` };
}

export const listRequestedFilters = (query: ListExecutionsQuery): RunFilter[] =>
  (Object.keys(FILTERS) as (keyof FilterValues)[]).flatMap((name) => toFilters(name, query[name]));

const toFilters = <F extends keyof FilterValues>(
  name: F,
  value: FilterValues[F] | undefined,
): RunFilter | RunFilter[] => (value === undefined ? [] : FILTERS[name](value));
