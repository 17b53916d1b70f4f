import { conflict } from '../../../../common/errors/problem.js';
import { toSelectorLabels, type UsableFact } from '../../../../inventory/facts/host-facts.js';
import { findRenderedFacts, findUsedFacts } from '../../../../inventory/facts/used-facts.js';
import { matchesSelector, parseSelector, type SelectableServer } from '../../../../inventory/selectors/selector.js';
import type { TargetServer } from '../../../../inventory/run-targets.reader.js';
import type { PlanContent } from '../../../../plans/steps/plan-content.js';
import type { PlanStep } from '../../../../plans/steps/types/step-types.js';
import type { RunContent } from '../../../record/run-content.js';
import type { FrozenLibrary } from '../../../record/library.js';

const MAX_NAMED_SERVERS = 5;

/** Facts to freeze: those that selectors and steps use. */
export const listFactsToFreeze = (
  contents: readonly PlanContent[],
  library: FrozenLibrary | undefined,
  targets: string | undefined,
): UsableFact[] => findUsedFacts(contents, library?.templates, targets);

export const toSelectableServer = (server: TargetServer, facts: readonly UsableFact[]): SelectableServer => ({
  name: server.name,
  tags: toSelectorLabels(server, facts),
});

/**
 * A condition cannot be evaluated without facts, and `false` would be a guess.
 * @throws Problem 409 `facts_missing` with the hosts' names
 */
export function requireKnownFacts(
  { steps }: RunContent,
  library: FrozenLibrary | undefined,
  servers: readonly TargetServer[],
  facts: readonly UsableFact[],
): void {
  const serversWithoutFacts = servers.filter((server) => (server.facts ?? null) === null);
  const selectorsWithFacts =
    serversWithoutFacts.length === 0
      ? []
      : steps.filter((step) => findRenderedFacts(step, findTemplateContent(step, library)).length > 0);
  const selectors = selectorsWithFacts.map(({ targets }) => parseSelector(targets));
  const missing = serversWithoutFacts.filter((server) =>
    selectors.some((selector) => matchesSelector(selector, toSelectableServer(server, facts))),
  );
  if (missing.length === 0) return;
  const names = missing.slice(0, MAX_NAMED_SERVERS).map(({ name }) => `"${name}"`);
  const more = missing.length > MAX_NAMED_SERVERS ? ` and ${missing.length - MAX_NAMED_SERVERS} more` : '';
  throw conflict(
    'facts_missing',
    `The step "${selectorsWithFacts[0]?.key}" uses facts of its hosts, but ${names.join(', ')}${more} have no facts yet. Check these servers to read their facts, or exclude them.`,
  );
}

const findTemplateContent = (step: PlanStep, library: FrozenLibrary | undefined): unknown =>
  step.type === 'template' && library && Object.hasOwn(library.templates, step.templateId)
    ? library.templates[step.templateId]
    : null;
