import type { ImportAction, ImportCounts } from '../../../../api/types';
import { plural } from '../../../../ui/format/format';
import { ACTIONS, IMPORT_ACTIONS } from './actions';

export interface ActionChip {
  /** Filter of the entries; `differences`: all entries except unchanged servers. */
  value: ImportAction | 'all' | 'differences';
  label: string;
  count: number;
}

export const touched = ({ create, change, disable, remove }: ImportCounts): number =>
  create + change + disable + remove;

const all = (counts: ImportCounts): number => IMPORT_ACTIONS.reduce((sum, action) => sum + counts[action], 0);
const hasSomeUnchanged = (counts: ImportCounts): boolean => counts.leave > 0 && counts.leave < all(counts);

/** Returns the available filters: one for each action that occurs, and combined filters. */
export function chipsOf(counts: ImportCounts): ActionChip[] {
  const each = IMPORT_ACTIONS.filter((action) => counts[action] > 0).map(
    (action): ActionChip => ({ value: action, label: ACTIONS[action].label, count: counts[action] }),
  );
  const whole: ActionChip = { value: 'all', label: 'All', count: all(counts) };
  if (!hasSomeUnchanged(counts)) return each.length > 1 ? [whole, ...each] : each;
  return [{ value: 'differences', label: 'Differences', count: all(counts) - counts.leave }, ...each, whole];
}

/** Returns the requested filter if it has entries, otherwise the first filter. */
export function chosen(choice: string | undefined, counts: ImportCounts): ActionChip['value'] {
  const chips = chipsOf(counts);
  return (chips.find(({ value }) => value === choice) ?? chips[0])?.value ?? 'all';
}

/** Returns the actions of a filter for the request; empty: all. */
export function actionsOf(value: ActionChip['value']): ImportAction[] {
  if (value === 'all') return [];
  return value === 'differences' ? IMPORT_ACTIONS.filter((action) => action !== 'leave') : [value];
}

export function applyLabel(counts: ImportCounts): string {
  const parts = [
    ['import', counts.create + counts.change] as const,
    ['disable', counts.disable] as const,
    ['remove', counts.remove] as const,
  ]
    .filter(([, count]) => count > 0)
    .map(([verb, count], index) => `${verb} ${index === 0 ? plural(count, 'server') : count.toLocaleString('en')}`);
  const text = parts.length === 0 ? 'import' : new Intl.ListFormat('en-GB').format(parts);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Example: `2 new, 480 unchanged`. */
export const countsText = (counts: ImportCounts): string =>
  IMPORT_ACTIONS.filter((action) => counts[action] > 0)
    .map((action) => `${counts[action].toLocaleString('en')} ${ACTIONS[action].label.toLowerCase()}`)
    .join(', ');
