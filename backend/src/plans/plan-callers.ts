import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict } from '../common/errors/problem.js';
import type { Plan } from './plan.entity.js';
import { plansUsing } from './plans-in-use.js';

/** How many callers a refusal names. */
const NAMED = 10;

/** @throws Problem 409 `in_use` when other plans call it */
export async function demandUncalled(tx: EntityManager, caller: Principal, { id, name }: Plan): Promise<void> {
  // One that calls itself can't be saved.
  const callers = await plansUsing(tx, caller, 'planId', id, NAMED);
  const [first] = callers;
  if (!first) return;
  const seen = callers.filter(({ visible }) => visible);
  const others = first.hidden > 0 ? ` ${first.hidden} of them you may not see; ask an admin about those.` : '';
  throw conflict('in_use', `Other plans call "${name}". Take it out of their steps first.${others}`, {
    referrers: seen.map((each) => ({ type: 'plan', id: each.id, name: each.name })),
    ...(first.hidden > 0 ? { hiddenReferrers: first.hidden } : {}),
  });
}
