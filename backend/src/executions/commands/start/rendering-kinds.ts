import type { CommandValue } from '../../../plans/rendering/render-command.js';
import type { PlanContent } from '../../../plans/steps/plan-content.js';
import type { Renderer } from '../../../templates/rendering/template-renderer.js';
import { declaredValues, ownValuesText, sharedValues, valuesOfHost } from '../../record/host-values.js';
import type { FrozenLibrary } from '../../record/library.js';
import type { FrozenHost } from '../../record/snapshot.js';
import { targetsOf } from '../../steps/step-targets.js';
import type { Rendering } from './checked-renderings.js';
import type { FrozenValues } from './freeze-values.js';

/** With the values of so many kinds of hosts each step is tried at the start; what is left shows on the host itself. */
const MOST_KINDS = 20;

interface Start {
  content: PlanContent;
  library: FrozenLibrary | undefined;
  renderer: Renderer;
  frozen: Pick<FrozenValues, 'variables' | 'secrets'>;
  hosts: readonly FrozenHost[];
}

/** What is to be rendered before a run starts: each step with the values that its hosts have, equal ones once. */
export function renderingOf({ content, library, renderer, frozen, hosts }: Start): Rendering {
  const shared = sharedValues(frozen, frozen.secrets);
  const sources = { library, renderer };
  if (!hosts.some(({ variables, secrets }) => variables ?? secrets))
    return {
      content,
      sources,
      kinds: [declaredValues(content.variables, shared)],
      ofSteps: content.steps.map(() => [0]),
    };
  const known = new Map(hosts.map((host) => [host.server_id, host]));
  const kinds: (readonly CommandValue[])[] = [];
  const places = new Map<string, number>();
  const kindOf = (host: FrozenHost): number => {
    const text = ownValuesText(host);
    const place = places.get(text);
    if (place !== undefined) return place;
    places.set(text, kinds.length);
    return kinds.push(declaredValues(content.variables, valuesOfHost(shared, frozen.secrets, host))) - 1;
  };
  const bySelector = new Map<string, number[]>();
  const ofSteps = content.steps.map(({ targets }) => {
    const before = bySelector.get(targets);
    if (before) return before;
    const found = new Set<number>();
    for (const id of targetsOf(targets, hosts)) {
      const host = known.get(id);
      if (host) found.add(kindOf(host));
      if (found.size >= MOST_KINDS) break;
    }
    bySelector.set(targets, [...found]);
    return [...found];
  });
  return { content, sources, kinds, ofSteps };
}
