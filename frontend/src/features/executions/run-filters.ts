import { CANCELLABLE_STATUSES, EXECUTION_STATUSES } from '../../api/lists';
import type { ExecutionStatus, Role } from '../../api/types';
import { labelsFault, labelsOf } from '../../ui/runs/labels';

/** Filters in the URL. */
export interface RunSearch {
  status?: string;
  plan?: string;
  environment?: string;
  awaiting?: 'me';
  held?: boolean;
  label?: string | string[];
}

/** Parses a comma-separated list of statuses. Ignores unknown ones. */
export const statusesOf = ({ status = '' }: RunSearch): ExecutionStatus[] =>
  EXECUTION_STATUSES.filter((each) => status.split(',').includes(each));

export const labelTexts = ({ label }: RunSearch): string[] => [label ?? []].flat();

export const isFiltered = ({ status, plan, environment, awaiting, held, label }: RunSearch): boolean =>
  Boolean(status ?? plan ?? environment ?? awaiting ?? held ?? label);

/** Filters of the list request. */
export function filtersOf(search: RunSearch) {
  const status = statusesOf(search);
  const label = labelTexts(search);
  return {
    status: status.length > 0 ? status : undefined,
    planId: search.plan,
    environmentId: search.environment,
    awaiting: search.awaiting,
    legalHold: search.held,
    label: label.length > 0 ? label : undefined,
  };
}

/** Filters to cancel all listed runs; null if the filters are too wide, or the member may not cancel many runs. */
export function cancelFiltersOf(search: RunSearch, role: Role | undefined) {
  const status = statusesOf(search);
  const labels = labelTexts(search);
  const unfinished = CANCELLABLE_STATUSES.filter((each) => status.length === 0 || status.includes(each));
  const fault = labelsFault(labels);
  const narrowed =
    Boolean(search.plan ?? search.environment ?? search.label) && !search.awaiting && !search.held && !fault;
  if (role !== 'admin' || !narrowed || unfinished.length === 0) return null;
  return {
    environmentId: search.environment,
    planId: search.plan,
    ...(labels.length > 0 ? { labels: labelsOf(labels) } : {}),
    ...(status.length > 0 ? { status: unfinished } : {}),
  };
}
