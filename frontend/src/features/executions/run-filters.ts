import { CANCELLABLE_STATUSES, EXECUTION_STATUSES } from '../../api/lists';
import type { CancelRunsRequest, ExecutionStatus, Role, RunListQuery } from '../../api/types';
import { given, oneOf, type Search, text, texts } from '../../ui/page/search';
import { labelsFault, labelsOf } from '../../ui/runs/labels';

interface RunFilter<V> {
  /** Parses the URL parameter; undefined = no filter. */
  parse: (parameter: unknown) => V | undefined;
  toQuery: (value: V) => RunListQuery;
  /** Returns fields of the request that cancels all listed runs; null = it has no such filter. */
  toCancelFields: (value: V) => CancelRunsRequest | null;
}

const defineFilter = <V>(filter: RunFilter<V>) => filter;

/** Filters by their URL parameter. */
const RUN_FILTERS = {
  status: defineFilter({
    parse: text,
    toQuery: (list) => omitEmpty(parseStatuses(list)),
    toCancelFields(list) {
      const status = parseStatuses(list);
      const unfinished = CANCELLABLE_STATUSES.filter((each) => status.includes(each));
      return status.length > 0 && unfinished.length === 0 ? null : omitEmpty(unfinished);
    },
  }),
  plan: defineFilter({ parse: text, toQuery: (planId) => ({ planId }), toCancelFields: (planId) => ({ planId }) }),
  environment: defineFilter({
    parse: text,
    toQuery: (environmentId) => ({ environmentId }),
    toCancelFields: (environmentId) => ({ environmentId }),
  }),
  label: defineFilter({
    parse: texts,
    toQuery: (label) => ({ label: [label].flat() }),
    toCancelFields: (label) => (labelsFault([label].flat()) ? null : { labels: labelsOf([label].flat()) }),
  }),
  q: defineFilter({ parse: text, toQuery: (q) => ({ q }), toCancelFields: () => null }),
  awaiting: defineFilter({
    parse: (parameter) => oneOf(parameter, ['me'] as const),
    toQuery: (awaiting) => ({ awaiting }),
    toCancelFields: () => null,
  }),
  held: defineFilter({
    parse: (parameter) => (parameter === true ? true : undefined),
    toQuery: (legalHold) => ({ legalHold }),
    toCancelFields: () => null,
  }),
};

type FilterName = keyof typeof RUN_FILTERS;
type FilterValues = { [F in FilterName]: NonNullable<ReturnType<(typeof RUN_FILTERS)[F]['parse']>> };
/** Filters in the URL. */
export type RunSearch = { [F in FilterName]?: FilterValues[F] | undefined };

const FILTERS: { readonly [F in FilterName]: RunFilter<FilterValues[F]> } = RUN_FILTERS;
const FILTER_NAMES = Object.keys(RUN_FILTERS) as FilterName[];

export const parseRunSearch = (search: Search): RunSearch =>
  given(Object.fromEntries(FILTER_NAMES.map((name) => [name, RUN_FILTERS[name].parse(search[name])])));

export const isFiltered = (search: RunSearch): boolean => FILTER_NAMES.some((name) => search[name] !== undefined);

/** Filters of the list request. */
export const filtersOf = (search: RunSearch): RunListQuery =>
  mergeFields(mapFilters(search, (filter, value) => filter.toQuery(value)));

/** Filters to cancel all listed runs; null if the filters are too wide, or the member may not cancel many runs. */
export function cancelFiltersOf(search: RunSearch, role: Role | undefined): CancelRunsRequest | null {
  const fields = mapFilters(search, (filter, value) => filter.toCancelFields(value));
  const known = fields.filter((each) => each !== null);
  if (role !== 'admin' || known.length < fields.length) return null;
  const { status, ...others } = mergeFields(known);
  return Object.keys(others).length > 0 ? { ...others, ...(status && { status }) } : null;
}

const mergeFields = <T extends object>(fields: readonly T[]): Partial<T> =>
  fields.reduce<Partial<T>>((all, each) => ({ ...all, ...each }), {});

const mapFilters = <T>(search: RunSearch, map: <V>(filter: RunFilter<V>, value: V) => T): T[] =>
  FILTER_NAMES.flatMap((name) => mapFilter(name, search[name], map));

const mapFilter = <F extends FilterName, T>(
  name: F,
  value: RunSearch[F],
  map: (filter: RunFilter<FilterValues[F]>, value: FilterValues[F]) => T,
): T[] => (value === undefined ? [] : [map(FILTERS[name], value)]);

const omitEmpty = <T>(status: T[]): { status?: T[] } => (status.length > 0 ? { status } : {});

/** Parses a comma-separated list of statuses. Ignores unknown ones. */
const parseStatuses = (list: string): ExecutionStatus[] =>
  EXECUTION_STATUSES.filter((each) => list.split(',').includes(each));

export const statusesOf = ({ status = '' }: RunSearch): ExecutionStatus[] => parseStatuses(status);

export const labelTexts = ({ label }: RunSearch): string[] => [label ?? []].flat();
