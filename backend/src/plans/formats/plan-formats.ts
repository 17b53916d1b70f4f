import type { PlanFormat } from '../code/plan-format.ts';
import { RUNDECK_JOBS } from './rundeck/rundeck-jobs.ts';
import { RUNWARD_PLAN } from './runward-plan.ts';

/** Runward's own format comes first. */
export const PLAN_FORMATS = [RUNWARD_PLAN, RUNDECK_JOBS] as const satisfies readonly PlanFormat[];
export type PlanFormatName = (typeof PLAN_FORMATS)[number]['name'];

export const PLAN_FORMAT_NAMES: readonly PlanFormatName[] = PLAN_FORMATS.map(({ name }) => name);

export const findPlanFormat = (name: PlanFormatName): PlanFormat<PlanFormatName> =>
  PLAN_FORMATS.find((format) => format.name === name) ?? RUNWARD_PLAN;
