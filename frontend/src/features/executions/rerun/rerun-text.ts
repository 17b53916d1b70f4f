import type { RerunPreview, StepHosts } from '../../../api/types';
import { plural } from '../../../ui/format/format';

const NAMED = 5;

/** Example: "web-1, web-2 and 3 more". */
export function describeHosts({ hosts, count }: Pick<StepHosts, 'hosts' | 'count'>): string {
  const names = hosts.slice(0, NAMED).map(({ name }) => name);
  return count > names.length ? `${names.join(', ')} and ${count - names.length} more` : names.join(', ');
}

export const describeStep = (each: StepHosts): string => `“${each.stepName}” on ${describeHosts(each)}`;

export function describeRerun({ hostCount, steps, inheritedResults }: RerunPreview): string {
  const running = steps.filter(({ runs }) => runs > 0).map(({ name }) => `“${name}”`);
  const left = steps.filter(({ leftOut }) => leftOut).length;
  const what = running.length > 0 ? `Runs ${running.join(', ')} on ${plural(hostCount, 'host')}` : 'Runs no step';
  const out = left > 0 ? `; skips ${plural(left, 'step')}` : '';
  const taken = inheritedResults > 0 ? `; keeps ${plural(inheritedResults, 'result')}` : '';
  return `${what}${out}${taken}.`;
}
