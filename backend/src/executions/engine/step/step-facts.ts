import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../../common/database/sql.js';
import type { PlanStep } from '../../../plans/steps/types/step-types.js';
import type { StepFacts } from '../../../plans/rendering/command-facts.js';
import { readInheritedFacts } from '../../continuation/inherited-rows.js';
import type { RunRef } from '../../record/run-head.js';

interface Row {
  step_index: number;
  server_id: string;
  status: string;
  changed: boolean | null;
  exit_code: number | null;
  outputs: Record<string, string> | null;
}

/**
 * Returns the results of earlier steps for a host, by step key. The result of a `runOnce` step counts for every host.
 */
export type GetStepFacts = (serverId: string) => Record<string, StepFacts>;

export const GET_NO_FACTS: GetStepFacts = () => ({});

export async function loadStepFacts(
  tx: EntityManager,
  ref: RunRef,
  steps: readonly PlanStep[],
  stepIndex: number,
  serverIds: readonly string[],
): Promise<GetStepFacts> {
  const runOnceIndexes = steps.flatMap((step, index) => (step.runOnce && index < stepIndex ? [index] : []));
  const stored = await rows(
    tx,
    sql<Row>`select step_index, server_id, status, changed, exit_code, outputs from host_results
      where execution_id = ${ref.executionId} and step_index < ${stepIndex}
        and (server_id = any (${serverIds}) or step_index = any (${runOnceIndexes}))`,
  );
  const facts = new KnownFacts(steps);
  // Inherited results first, because the run's own results override them.
  for (const { stepIndex: index, serverId, ...each } of await readInheritedFacts(
    tx,
    ref,
    stepIndex,
    serverIds,
    runOnceIndexes,
  ))
    facts.addFacts(index, serverId, each);
  for (const { step_index, server_id, status, changed, exit_code: exitCode, outputs } of stored)
    facts.addFacts(step_index, server_id, { status, changed: changed ?? false, exitCode, outputs: outputs ?? {} });
  return facts.getFacts;
}

export async function loadInheritedFacts(
  tx: EntityManager,
  ref: RunRef,
  steps: readonly PlanStep[],
  stepIndex: number,
  serverIds: readonly string[],
): Promise<GetStepFacts> {
  const runOnceIndexes = steps.flatMap((step, index) => (step.runOnce && index < stepIndex ? [index] : []));
  const facts = new KnownFacts(steps);
  for (const { stepIndex: index, serverId, ...each } of await readInheritedFacts(
    tx,
    ref,
    stepIndex,
    serverIds,
    runOnceIndexes,
  ))
    facts.addFacts(index, serverId, each);
  return facts.getFacts;
}

/** Results of earlier steps by host. A later `addFacts` overrides an earlier one. */
class KnownFacts {
  private readonly shared: Record<string, StepFacts> = {};
  private readonly own = new Map<string, Record<string, StepFacts>>();

  constructor(private readonly steps: readonly PlanStep[]) {}

  addFacts(stepIndex: number, serverId: string, facts: StepFacts): void {
    const step = this.steps[stepIndex];
    if (!step) return;
    if (step.runOnce) this.shared[step.key] = facts;
    else this.own.set(serverId, { ...this.own.get(serverId), [step.key]: facts });
  }

  readonly getFacts: GetStepFacts = (serverId) => ({ ...this.shared, ...this.own.get(serverId) });
}
