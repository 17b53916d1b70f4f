import type { CommandValue } from '../../plans/rendering/render-command.js';
import type { RunStep } from '../record/run-content.js';
import { ValuesByScope } from '../scopes/scope-values.js';
import type { StepRendering } from '../../plans/rendering/step-renderer.js';
import { ownValuesText, sharedValues } from '../record/host-values.js';
import type { FrozenHost } from '../record/snapshot.js';
import { type StepText, stepText } from './step-text.js';
import type { ComparedRun } from './compare-runs.js';

/** Maximum number of host groups with a rendered text. For further groups, only the values are listed. */
const MAX_HOST_GROUPS = 5;
const NAMED = 3;

/**
 * Returns the effect of a step on these hosts. If it differs between hosts, each text follows the list of its hosts.
 */
export async function textOnHosts(
  step: RunStep,
  run: Pick<ComparedRun, 'snapshot' | 'secrets'>,
  hosts: readonly FrozenHost[],
  renderer: StepRendering,
): Promise<StepText> {
  const { snapshot } = run;
  const shared = sharedValues(snapshot, run.secrets);
  const renderTextFor = (host: FrozenHost | null) => {
    const { values } = ValuesByScope.of(snapshot, run.secrets, host, shared).in(step.scope?.values ?? null);
    return stepText(step, { library: snapshot.library, values: displayValues(values), renderer });
  };
  const kinds = kindsOf(hosts);
  if (kinds.size === 0) return renderTextFor(null);
  const texts = new Map<string, { rendered: boolean; hosts: FrozenHost[] }>();
  for (const some of [...kinds.values()].slice(0, MAX_HOST_GROUPS)) {
    const [first] = some;
    if (!first) continue;
    const { text, rendered } = await renderTextFor(first);
    const known = texts.get(text);
    texts.set(text, { rendered: rendered && known?.rendered !== false, hosts: [...(known?.hosts ?? []), ...some] });
  }
  const all = [...texts];
  const [only] = all;
  const further = kinds.size - MAX_HOST_GROUPS;
  if (only && all.length === 1 && further <= 0) return { text: only[0], rendered: only[1].rendered };
  const parts = all.map(([text, { hosts: some }]) => `# on ${namesOf(some)}\n${text}`);
  if (further > 0) parts.push(`# and ${further} more groups of hosts, each with the values in the host list`);
  return { text: parts.join('\n\n'), rendered: all.every(([, { rendered }]) => rendered) };
}

const displayValues = (values: readonly CommandValue[]): CommandValue[] =>
  values.map((each) => (each.secret ? { ...each, value: null } : each));

const KIND_TEXTS = new WeakMap<FrozenHost, string>();

function kindsOf(hosts: readonly FrozenHost[]): Map<string, FrozenHost[]> {
  const kinds = new Map<string, FrozenHost[]>();
  for (const host of hosts) {
    const text = KIND_TEXTS.get(host) ?? ownValuesText(host);
    KIND_TEXTS.set(host, text);
    const some = kinds.get(text) ?? [];
    kinds.set(text, some);
    some.push(host);
  }
  return kinds;
}

function namesOf(hosts: readonly FrozenHost[]): string {
  const named = hosts.slice(0, NAMED).map(({ name }) => name);
  return hosts.length > NAMED ? `${named.join(', ')} and ${hosts.length - NAMED} more` : named.join(', ');
}
