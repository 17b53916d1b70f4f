import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict } from '../common/errors/problem.js';
import type { PlanSchedule } from './records/plan-use.js';
import type { Plan } from './records/plan.entity.js';
import { listPlansUsing } from './records/plans-in-use.js';

const MAX_NAMED_RECORDS = 10;

/** @throws Problem 409 `in_use` if other plans call this plan */
export async function requireNoCallers(tx: EntityManager, caller: Principal, { id, name }: Plan): Promise<void> {
  // A plan that calls itself cannot be saved.
  const callers = await listPlansUsing(tx, caller, 'planId', id, MAX_NAMED_RECORDS);
  const [first] = callers;
  if (!first) return;
  const seen = callers.filter(({ visible }) => visible);
  const others = first.hidden > 0 ? ` You cannot see ${first.hidden} of them; ask an admin about those.` : '';
  throw conflict('in_use', `Other plans call "${name}". Take it out of their steps first.${others}`, {
    referrers: seen.map((each) => ({ type: 'plan', id: each.id, name: each.name })),
    ...(first.hidden > 0 ? { hiddenReferrers: first.hidden } : {}),
  });
}

/** @throws Problem 409 `in_use` with the plan's schedules that the caller can see */
export function requireNoSchedules({ name }: Pick<Plan, 'name'>, schedules: readonly PlanSchedule[]): void {
  if (schedules.length === 0) return;
  const referrers = schedules
    .filter(({ visible }) => visible)
    .map(({ id, name: called }) => ({ type: 'schedule', id, name: called }));
  const hidden = schedules.length - referrers.length;
  const others = hidden > 0 ? ` You cannot see ${hidden} of them; ask an admin about those.` : '';
  throw conflict('in_use', `Schedules run "${name}". Delete them or give them another plan first.${others}`, {
    referrers,
    ...(hidden > 0 ? { hiddenReferrers: hidden } : {}),
  });
}
