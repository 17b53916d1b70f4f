import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { sql } from '../../common/database/sql.js';
import { IsOptionalField, OptionalInstant, OptionalOneOf, QueryBoolean, QueryList } from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { parseLabel, QueryLabels } from '../contract/run-labels.js';
import {
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
} from '../lifecycle/statuses.js';
import { filterByIndex, filterByRows, filterByValues, type RunFilter } from './run-filter.js';

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
};

function filterByLabel(label: string): RunFilter {
  const { key, value } = parseLabel(label) ?? { key: '', value: '' };
  return filterByRows(sql`execution_labels`, sql`l`, sql`l.key = ${key}::text and l.value = ${value}::text`);
}

export const listRequestedFilters = (query: ListExecutionsQuery): RunFilter[] =>
  (Object.keys(FILTERS) as (keyof FilterValues)[]).flatMap((name) => toFilters(name, query[name]));

const toFilters = <F extends keyof FilterValues>(
  name: F,
  value: FilterValues[F] | undefined,
): RunFilter | RunFilter[] => (value === undefined ? [] : FILTERS[name](value));
