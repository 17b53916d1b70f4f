import type { StepFacts } from '../../plans/rendering/command-facts.js';
import type { Snapshot } from '../record/execution-row.js';
import type { RunStep } from '../record/run-content.js';

type FactsByStep = Readonly<Record<string, StepFacts>>;

/** Whether the run's step `runKey` is the step `key` of the plan with this prefix, or a part of that step. */
export function isPartOfStep(runKey: string, prefix: string, key: string): boolean {
  const whole = prefix + key;
  return runKey === whole || runKey.startsWith(`${whole}/`) || runKey.startsWith(`${whole}[`);
}

export interface FactScope {
  steps: readonly Pick<RunStep, 'key' | 'scope'>[];
  callOutputs: Snapshot['callOutputs'];
}

/**
 * Returns the facts visible to a step, by the keys of its own plan. A call or list counts as one step: failed if one of
 * its steps failed, changed if one of its steps changed the host. The output of a list has one line per item.
 * @param prefix prefix of the plan's steps in the run
 * @param facts facts by the keys of the run
 */
export function selectScopeFacts(
  { steps, callOutputs = {} }: FactScope,
  prefix: string,
  facts: FactsByStep,
): FactsByStep {
  if (prefix === '' && steps.every(({ scope }) => !scope)) return facts;
  const found: Record<string, StepFacts> = Object.create(null) as Record<string, StepFacts>;
  for (const { key } of steps) {
    if (!key.startsWith(prefix)) continue;
    const [own = ''] = key.slice(prefix.length).split(/[/[]/);
    if (own in found) continue;
    const whole = factsOf(prefix + own);
    if (whole) found[own] = whole;
  }
  return found;

  function factsOf(whole: string): StepFacts | null {
    if (Object.hasOwn(facts, whole)) return facts[whole] ?? null;
    const parts = steps.flatMap(({ key }) => (key.startsWith(`${whole}/`) ? (facts[key] ?? []) : []));
    if (Object.hasOwn(callOutputs, whole)) return { ...combineFacts(parts), outputs: outputsOf(whole) };
    const items = itemsOf(whole).flatMap((item) => factsOf(item) ?? []);
    return items.length === 0 ? null : { ...combineFacts(items), outputs: joinOutputLines(items) };
  }

  function outputsOf(call: string): Record<string, string> {
    const outputs: Record<string, string> = {};
    for (const [name, { step, output }] of Object.entries(callOutputs[call] ?? {})) {
      const value = factsOf(step)?.outputs[output];
      if (value !== undefined) outputs[name] = value;
    }
    return outputs;
  }

  function itemsOf(whole: string): string[] {
    const items = new Set<string>();
    for (const { key } of steps) {
      if (!key.startsWith(`${whole}[`)) continue;
      items.add(key.slice(0, key.indexOf(']', whole.length) + 1));
    }
    return [...items];
  }
}

/**
 * Combines the steps of a call or list to one status: the first that is neither success nor skipped; otherwise success
 * if a step succeeded.
 */
function combineFacts(parts: readonly StepFacts[]): Omit<StepFacts, 'outputs'> {
  const statuses = parts.map(({ status }) => status);
  const bad = statuses.find((status) => status !== null && status !== 'SUCCEEDED' && status !== 'SKIPPED');
  const resultStatus = statuses.includes('SUCCEEDED')
    ? 'SUCCEEDED'
    : (statuses.find((status) => status !== null) ?? null);
  return { status: bad ?? resultStatus, changed: parts.some(({ changed }) => changed), exitCode: null };
}

function joinOutputLines(items: readonly StepFacts[]): Record<string, string> {
  const names = new Set(items.flatMap(({ outputs }) => Object.keys(outputs)));
  return Object.fromEntries(
    [...names].map((name) => [name, items.flatMap(({ outputs }) => outputs[name] ?? []).join('\n')]),
  );
}
