import type { PlanStep } from '../../../api/types';
import { stepRow } from '../form/step-form';
import { groupSettings, groupsOf } from '../steps/step-groups';

/** Time limit of a step that sets none, in seconds. */
const DEFAULT_TIMEOUT_SECONDS = 600;
const DEFAULT_GATE_TIMEOUT_SECONDS = 14_400;

/** Returns a phrase for each setting that differs from its default: hosts, conditions, retries, limits. */
export function stepSettings(step: PlanStep): string[] {
  const limit = step.type === 'gate' ? DEFAULT_GATE_TIMEOUT_SECONDS : DEFAULT_TIMEOUT_SECONDS;
  const row = stepRow(step);
  const listedRow = { ...row, timeoutSeconds: row.timeoutSeconds === limit ? ('' as const) : row.timeoutSeconds };
  return groupsOf(step.type).flatMap((group) => groupSettings(group, listedRow));
}
