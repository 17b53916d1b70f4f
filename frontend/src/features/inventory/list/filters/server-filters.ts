import type { ServerFilters } from '../../../../api/queries/inventory/servers';
import type { BulkFilter, ProtectionState, ServerSort, ServerState } from '../../../../api/types';
import { checkStyle, SERVER_STATES } from '../../../../ui/status/statuses';

/** What stands in the URL of the page. */
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
/** Anything else is no filter. */
export const enabledOf = (text: unknown): boolean | undefined =>
  text === 'yes' ? true : text === 'no' ? false : undefined;

const PROTECTIONS = {
  not_proved: 'Not protected yet',
  proved: 'Protected: proved',
  confirmed: 'Protected: confirmed',
  environment_open: 'Open environment',
} as const satisfies Record<ProtectionState, string>;
export const PROTECTION_OPTIONS = Object.entries(PROTECTIONS).map(([value, label]) => ({ value, label }));
/** Anything else is no filter. */
export const protectionOf = (text = ''): ProtectionState | undefined =>
  Object.hasOwn(PROTECTIONS, text) ? (text as ProtectionState) : undefined;

export const STATE_OPTIONS = SERVER_STATES.map((state) => ({ value: state, label: checkStyle(state).label }));

const SORTS = {
  name: 'By name',
  state: 'By status',
  '-checkedAt': 'Checked last',
  checkedAt: 'Not checked for longest',
  '-updatedAt': 'Changed last',
} as const satisfies Partial<Record<ServerSort, string>>;
export const USUAL_SORT = 'Newest first';
export const SORT_OPTIONS = Object.entries(SORTS).map(([value, label]) => ({ value, label }));

/** Unknown states are ignored. */
export const statesOf = (text = ''): ServerState[] => {
  const wanted = text.split(',');
  return SERVER_STATES.filter((state) => wanted.includes(state));
};

/** An unknown order is the usual one. */
export const sortOf = (text = ''): ServerSort | undefined =>
  Object.hasOwn(SORTS, text) ? (text as keyof typeof SORTS) : undefined;

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

/** The same for a request that means all servers which the list shows. */
export function bulkFilterOf(search: ServerSearch): BulkFilter {
  const { sort: _, ...filter } = filtersOf(search);
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
