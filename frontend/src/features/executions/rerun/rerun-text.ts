import type { RerunPreview } from '../../../api/types';
import { plural } from '../../../ui/format/format';

const NAMED = 5;

type StepHosts = RerunPreview['gaps'][number];

/** "web-1, web-2 and 3 more". */
export function describeHosts({ hosts, count }: Pick<StepHosts, 'hosts' | 'count'>): string {
  const shown = hosts.slice(0, NAMED).map(({ name }) => name);
  return count > shown.length ? `${shown.join(', ')} and ${count - shown.length} more` : shown.join(', ');
}

export const describeStep = (each: StepHosts): string => `“${each.stepName}” on ${describeHosts(each)}`;

/** What a rerun would do, as a sentence. */
export function describeRerun({ hostCount, steps, inheritedResults }: RerunPreview): string {
  const running = steps.filter(({ runs }) => runs > 0).map(({ name }) => `“${name}”`);
  const left = steps.filter(({ leftOut }) => leftOut).length;
  const what = running.length > 0 ? `Runs ${running.join(', ')} on ${plural(hostCount, 'host')}` : 'Runs no step';
  const out = left > 0 ? `; leaves out ${plural(left, 'step')}` : '';
  const taken = inheritedResults > 0 ? `; takes over ${plural(inheritedResults, 'result')}` : '';
  return `${what}${out}${taken}.`;
}
