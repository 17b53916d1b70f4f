import type { HostResult, Verdict } from '../../../api/types';
import { VERDICTS } from './verdict-words';

/** Hosts for which a dry run predicts the very same of a step. */
export interface Prediction {
  verdict: Verdict;
  reason: string | null;
  diff: string | null;
  hosts: string[];
}

type Told = Pick<HostResult, 'stepKey' | 'serverName' | 'verdict' | 'message' | 'diff'>;

/** How many host × step results have each verdict; those that none has are left out. */
export function countVerdicts(items: readonly Told[]): [verdict: Verdict, count: number][] {
  return VERDICTS.map((verdict): [Verdict, number] => [
    verdict,
    items.filter((item) => item.verdict === verdict).length,
  ]).filter(([, count]) => count > 0);
}

/** The predictions for a step, what needs attention first; hosts of which the same is told stand together. */
export function predictionsOf(stepKey: string, items: readonly Told[], only: Verdict | undefined): Prediction[] {
  const groups = new Map<string, Prediction>();
  for (const { verdict, message, diff, serverName, ...item } of items) {
    if (item.stepKey !== stepKey || verdict === null || (only && verdict !== only)) continue;
    const key = JSON.stringify([verdict, message, diff]);
    const group = groups.get(key);
    if (group) group.hosts.push(serverName);
    else groups.set(key, { verdict, reason: message, diff, hosts: [serverName] });
  }
  return [...groups.values()].sort((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict));
}
