import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../../common/database/sql.js';
import type { PlanStep } from '../../../plans/steps/types/step-types.js';
import type { Verdict } from '../../lifecycle/statuses.js';
import { readInheritedFacts } from '../../continuation/inherited-rows.js';
import type { RunRef } from '../../record/run-head.js';
import type { EarlierVerdicts } from './triggers.js';

export type GetHostVerdicts = (serverId: string) => EarlierVerdicts;

interface Row {
  step_index: number;
  server_id: string;
  verdict: Verdict | null;
}

export async function loadEarlierVerdicts(
  tx: EntityManager,
  ref: RunRef,
  steps: readonly PlanStep[],
  step: PlanStep,
  serverIds: readonly string[],
): Promise<GetHostVerdicts> {
  const triggers = steps.flatMap(({ key }, index) => (step.onlyIfChanged.includes(key) ? [index] : []));
  if (triggers.length === 0) return () => ({});
  const stored = await rows(
    tx,
    sql<Row>`select step_index, server_id, verdict from host_results
      where execution_id = ${ref.executionId} and step_index = any (${triggers}) and server_id = any (${serverIds})`,
  );
  const found = new Map<string, Record<string, Verdict | null>>();
  // Inherited results are known, not predicted: the step changed the host, or did not.
  for (const { stepIndex, serverId, changed } of await readInheritedFacts(
    tx,
    ref,
    steps.indexOf(step),
    serverIds,
    [],
  )) {
    const key = steps[stepIndex]?.key;
    if (key !== undefined)
      found.set(serverId, { ...found.get(serverId), [key]: changed ? 'WOULD_CHANGE' : 'WOULD_SKIP' });
  }
  for (const { step_index, server_id, verdict } of stored) {
    const key = steps[step_index]?.key;
    if (key !== undefined) found.set(server_id, { ...found.get(server_id), [key]: verdict });
  }
  return (serverId) => found.get(serverId) ?? {};
}
