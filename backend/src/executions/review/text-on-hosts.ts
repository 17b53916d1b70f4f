import type { CommandValue } from '../../plans/rendering/render-command.js';
import type { RunStep } from '../record/run-content.js';
import { ValuesByScope } from '../scopes/scope-values.js';
import type { StepRendering } from '../../plans/rendering/step-renderer.js';
import { describeOwnValues, listSharedValues } from '../record/host-values.js';
import type { FrozenHost } from '../record/snapshot.js';
import { getRunStepType } from '../steps/types/run-step-types.js';
import type { StepText } from '../steps/types/run-step-type.js';
import type { ComparedRun } from './compare-runs.js';

/** Maximum number of host groups with a rendered text. For further groups, only the values are listed. */
const MAX_HOST_GROUPS = 5;
const MAX_NAMED_HOSTS = 3;

/**
 * Returns the effect of a step on these hosts. If it differs between hosts, each text follows the list of its hosts.
 */
export async function renderTextOnHosts(
  step: RunStep,
  run: Pick<ComparedRun, 'snapshot' | 'secrets'>,
  hosts: readonly FrozenHost[],
  renderer: StepRendering,
): Promise<StepText> {
  const { snapshot } = run;
  const shared = listSharedValues(snapshot, run.secrets);
  const renderTextFor = (host: FrozenHost | null) => {
    const { values } = ValuesByScope.create(snapshot, run.secrets, host, shared).getScopeValues(
      step.scope?.values ?? null,
    );
    const sources = { library: snapshot.library, values: maskSecretValues(values), renderer };
    return getRunStepType(step).describe(step, sources);
  };
  const kinds = groupHostsByKind(hosts);
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
  const parts = all.map(([text, { hosts: some }]) => `# on ${describeHostNames(some)}\n${text}`);
  if (further > 0) parts.push(`# and ${further} more groups of hosts, each with the values in the host list`);
  return { text: parts.join('\n\n'), rendered: all.every(([, { rendered }]) => rendered) };
}

const maskSecretValues = (values: readonly CommandValue[]): CommandValue[] =>
  values.map((each) => (each.secret ? { ...each, value: null } : each));

const HOST_KIND_CACHE = new WeakMap<FrozenHost, string>();

function groupHostsByKind(hosts: readonly FrozenHost[]): Map<string, FrozenHost[]> {
  const kinds = new Map<string, FrozenHost[]>();
  for (const host of hosts) {
    const text = HOST_KIND_CACHE.get(host) ?? describeOwnValues(host);
    HOST_KIND_CACHE.set(host, text);
    const some = kinds.get(text) ?? [];
    kinds.set(text, some);
    some.push(host);
  }
  return kinds;
}

function describeHostNames(hosts: readonly FrozenHost[]): string {
  const named = hosts.slice(0, MAX_NAMED_HOSTS).map(({ name }) => name);
  return hosts.length > MAX_NAMED_HOSTS
    ? `${named.join(', ')} and ${hosts.length - MAX_NAMED_HOSTS} more`
    : named.join(', ');
}
