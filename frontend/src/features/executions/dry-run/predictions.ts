import type { HostResult, Verdict } from '../../../api/types';
import { VERDICTS } from './verdict-styles';

/** Hosts with the same prediction for a step. */
export interface Prediction {
  verdict: Verdict;
  reason: string | null;
  diff: string | null;
  hosts: string[];
}

type PredictedResult = Pick<HostResult, 'stepKey' | 'serverName' | 'verdict' | 'reason' | 'diff'>;

/** Counts the results by verdict. Omits verdicts without a result. */
export function countVerdicts(items: readonly PredictedResult[]): [verdict: Verdict, count: number][] {
  return VERDICTS.map((verdict): [Verdict, number] => [
    verdict,
    items.filter((item) => item.verdict === verdict).length,
  ]).filter(([, count]) => count > 0);
}

/** Returns the predictions for a step, most important first. Groups hosts with the same prediction. */
export function predictionsOf(
  stepKey: string,
  items: readonly PredictedResult[],
  only: Verdict | undefined,
): Prediction[] {
  const groups = new Map<string, Prediction>();
  for (const { verdict, reason, diff, serverName, ...item } of items) {
    if (item.stepKey !== stepKey || verdict === null || (only && verdict !== only)) continue;
    const key = JSON.stringify([verdict, reason?.text, diff]);
    const group = groups.get(key);
    if (group) group.hosts.push(serverName);
    else groups.set(key, { verdict, reason: reason?.text ?? null, diff, hosts: [serverName] });
  }
  return [...groups.values()].sort((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict));
}
