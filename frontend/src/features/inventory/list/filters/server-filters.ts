import type { ServerFilters } from '../../../../api/queries/inventory/servers';
import type { BulkFilter, ProtectionState, ServerSort, ServerState } from '../../../../api/types';
import { checkStyle, SERVER_STATES } from '../../../../ui/status/statuses';

export interface ServerSearch {
  q?: string;
  environment?: string;
  selector?: string;
  /** Comma-separated. */
  state?: string;
  enabled?: 'yes' | 'no';
  protection?: string;
  sort?: string;
}

export const ENABLED_OPTIONS = [
  { value: 'yes', label: 'Enabled' },
  { value: 'no', label: 'Disabled' },
] satisfies { value: ServerSearch['enabled']; label: string }[];
/** Unknown values are ignored. */
export const enabledOf = (text: unknown): boolean | undefined =>
  text === 'yes' ? true : text === 'no' ? false : undefined;

const PROTECTIONS = {
  not_proved: 'Not protected yet',
  proved: 'Protected: proved',
  confirmed: 'Protected: confirmed',
  environment_open: 'Open environment',
} as const satisfies Record<ProtectionState, string>;
export const PROTECTION_OPTIONS = Object.entries(PROTECTIONS).map(([value, label]) => ({ value, label }));
/** Unknown values are ignored. */
export const protectionOf = (text = ''): ProtectionState | undefined =>
  Object.hasOwn(PROTECTIONS, text) ? (text as ProtectionState) : undefined;

export const STATE_OPTIONS = SERVER_STATES.map((state) => ({ value: state, label: checkStyle(state).label }));

const SERVER_SORTS = {
  name: 'By name',
  state: 'By status',
  '-checkedAt': 'Last checked first',
  checkedAt: 'Oldest check first',
  '-updatedAt': 'Last changed first',
} as const satisfies Partial<Record<ServerSort, string>>;
export const DEFAULT_SORT = 'Newest first';
export const SORT_OPTIONS = Object.entries(SERVER_SORTS).map(([value, label]) => ({ value, label }));

export const statesOf = (text = ''): ServerState[] => {
  const values = text.split(',');
  return SERVER_STATES.filter((state) => values.includes(state));
};

/** Unknown orders mean the default order. */
export const sortOf = (text = ''): ServerSort | undefined =>
  Object.hasOwn(SERVER_SORTS, text) ? (text as keyof typeof SERVER_SORTS) : undefined;

export const isFiltered = ({ q, environment, selector, state, enabled, protection }: ServerSearch): boolean =>
  Boolean(q ?? environment ?? selector ?? protectionOf(protection)) ||
  statesOf(state).length > 0 ||
  enabledOf(enabled) !== undefined;

export function filtersOf(search: ServerSearch): ServerFilters {
  const { q, environment, selector, state, enabled, sort } = search;
  const states = statesOf(state);
  const protection = protectionOf(search.protection);
  return {
    q,
    environmentId: environment,
    selector,
    state: states.length > 0 ? states : undefined,
    enabled: enabledOf(enabled),
    protection: protection && [protection],
    sort: sortOf(sort),
  };
}

/** Returns the filters for a request that concerns all matching servers. */
export function bulkFilterOf(search: ServerSearch): BulkFilter {
  const { sort: _, ...filter } = filtersOf(search);
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
