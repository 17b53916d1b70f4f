import type { CommandValue } from '../../../plans/rendering/render-command.js';
import type { FrozenScope, RunContent, RunStep } from '../../record/run-content.js';
import type { StepRendering } from '../../../plans/rendering/step-renderer.js';
import { describeOwnValues, listSharedValues } from '../../record/host-values.js';
import { ValuesByScope } from '../../scopes/scope-values.js';
import type { FrozenLibrary } from '../../record/library.js';
import type { FrozenHost } from '../../record/snapshot.js';
import { listTargetIds } from '../../steps/step-targets.js';
import type { RenderingRequest } from './checked-renderings.js';
import type { FrozenValues } from './freezing/freeze-values.js';

/**
 * Maximum number of host groups with distinct values that are rendered per step before the start. Errors of further
 * groups appear when the step reaches the host.
 */
const MAX_HOST_GROUPS = 20;

interface RenderingStart {
  content: RunContent;
  library: FrozenLibrary | undefined;
  renderer: StepRendering;
  frozen: Pick<FrozenValues, 'variables' | 'secrets'>;
  scopes?: readonly FrozenScope[];
  hosts: readonly FrozenHost[];
}

/** Collects what to render before a run starts: each step with the distinct values of its hosts. */
export function toRenderingRequest({
  content,
  library,
  renderer,
  frozen,
  scopes = [],
  hosts,
}: RenderingStart): RenderingRequest {
  const shared = listSharedValues(frozen, frozen.secrets);
  const sources = { library, renderer };
  const kinds: (readonly CommandValue[])[] = [];
  const places = new Map<string, number>();
  const valuesOf = new Map<string, ValuesByScope>();
  const snapshot = { variables: frozen.variables, scopes: [...scopes], plan: content };
  /** @param host null: hosts without values of their own */
  const kindOf = (host: FrozenHost | null, scope: number | null): number => {
    const own = host ? describeOwnValues(host) : '';
    const name = `${scope ?? ''} ${own}`;
    const place = places.get(name);
    if (place !== undefined) return place;
    places.set(name, kinds.length);
    const values =
      valuesOf.get(own) ?? ValuesByScope.create(snapshot, frozen.secrets, own === '' ? null : host, shared);
    valuesOf.set(own, values);
    return kinds.push(values.getScopeValues(scope).values) - 1;
  };
  const scopeOf = ({ scope }: RunStep) => scope?.values ?? null;
  if (!hosts.some(({ variables, secrets }) => variables ?? secrets))
    return { content, sources, kinds, ofSteps: content.steps.map((step) => [kindOf(null, scopeOf(step))]) };
  const known = new Map(hosts.map((host) => [host.server_id, host]));
  const hostsBySelector = new Map<string, FrozenHost[]>();
  const hostsOf = (targets: string): FrozenHost[] => {
    const before = hostsBySelector.get(targets);
    if (before) return before;
    const found = new Map<string, FrozenHost>();
    for (const id of listTargetIds(targets, hosts)) {
      const host = known.get(id);
      if (host) found.set(describeOwnValues(host), host);
      if (found.size >= MAX_HOST_GROUPS) break;
    }
    hostsBySelector.set(targets, [...found.values()]);
    return [...found.values()];
  };
  const ofSteps = content.steps.map((step) => hostsOf(step.targets).map((host) => kindOf(host, scopeOf(step))));
  return { content, sources, kinds, ofSteps };
}
