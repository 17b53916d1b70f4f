import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { ProblemItem } from '../../../../common/errors/problem-item.js';
import { createMatchBudget } from '../../../../common/text/linear-pattern.js';
import type { VariableValue } from '../../../../variables/variable-value.js';
import type { EnvironmentVariableValues } from '../../../../environments/variables/variable-vault.js';
import type { ServerValues } from '../../../../inventory/variables/server-variable-vault.js';
import { resolveVariables, type VariableSource } from '../../../../plans/variables/resolve-variables.js';
import type { VariableDefinition } from '../../../../plans/variables/variable-definition.js';
import { HostSecretPool, PLAIN_VALUE_MARK, toSecretName } from '../../../record/host-values.js';
import type { HostSecret } from '../../../record/snapshot.js';
import { conflict, invalidRequest } from '../../../../common/errors/problem.js';
import { findSecretFault, findSecretsSizeFault, computeSecretSize } from '../../../../variables/secret-rules.js';
import {
  toSelectorLabels,
  type UsableFact,
  findRenderedFacts,
  findUsedFacts,
} from '../../../../inventory/facts/host-facts.js';
import { matchesSelector, parseSelector, type SelectableServer } from '../../../../inventory/selectors/selector.js';
import type { TargetServer } from '../../../../inventory/run-targets.reader.js';
import type { PlanContent } from '../../../../plans/steps/plan-content.js';
import { findFrozenTemplate, type FrozenLibrary, type RunContent } from '../../../record/run-content.js';

export interface ValueSources {
  definitions: readonly VariableDefinition[];
  environment: EnvironmentVariableValues;
  servers: ReadonlyMap<string, ServerValues>;
  start: { values: Readonly<Record<string, VariableValue>>; secretNames?: readonly string[] };
}

interface ValuedHost {
  id: string;
  name: string;
}

export interface HostOwnValues {
  variables: Record<string, VariableValue> | null;
  secrets: Record<string, HostSecret> | null;
}

export interface FrozenValues {
  /** Values of all hosts that have none of their own. */
  variables: Record<string, VariableValue>;
  /** Shared secrets by name, and secrets of single hosts by `toHostSecretKey`. */
  secrets: Record<string, VariableValue>;
  secretNames: string[];
  secretVersions: Record<string, string>;
  /** Source of each value that all hosts share, by name. */
  sources: Record<string, VariableSource>;
  own: ReadonlyMap<string, HostOwnValues>;
  secretOrigins: StartSecret[];
}

const ENVIRONMENT_ORIGIN = 'the environment';
/** Hosts per slice of work, a few milliseconds. */
const HOSTS_PER_BATCH = 500;
const MAX_REPORTED_PROBLEMS = 20;

/**
 * Computes the values of each host. Precedence: plan default < environment < server < start. Hosts with equal values
 * are computed once. Plain values that no server sets are stored once for all hosts.
 */
export async function freezeValues(
  sources: ValueSources,
  hosts: readonly ValuedHost[],
): Promise<{ frozen: FrozenValues; problems: ProblemItem[] }> {
  const { definitions, environment, start } = sources;
  const budget = createMatchBudget();
  const startNames = new Set(Object.keys(start.values));
  const secretNames = [...(start.secretNames ?? []), ...findSecretServerVariables(sources.servers, startNames)];
  const shared = resolveVariables({
    definitions,
    budget,
    layers: [
      { source: 'environment', ...environment },
      { source: 'start', values: start.values, secretNames },
    ],
  });
  const named = new Map(definitions.map((definition) => [definition.name, definition]));
  const pool = new HostSecretPool();
  const frozen = freezeSharedValues(sources, shared.values);
  const own = new Map<string, HostOwnValues>();
  const problems: ProblemItem[] = [];
  const seen = new Set<string>();
  const covered = new Map<string, number>();
  for (const [index, host] of hosts.entries()) {
    if (index % HOSTS_PER_BATCH === HOSTS_PER_BATCH - 1) await turnOfOthers();
    const values = [...(sources.servers.get(host.id) ?? [])].filter(([name]) => !startNames.has(name));
    if (values.length === 0) continue;
    for (const [name] of values) covered.set(name, (covered.get(name) ?? 0) + 1);
    const variables: Record<string, VariableValue> = {};
    const secrets: Record<string, HostSecret> = {};
    for (const [name, { value, secretVersion }] of values) {
      const definition = named.get(name);
      const secret = secretVersion !== null || definition?.type === 'secret' || environment.secretNames.includes(name);
      const valueKey = `${name} ${secretVersion === null ? '' : 's'} ${JSON.stringify(value)}`;
      if (!seen.has(valueKey)) {
        seen.add(valueKey);
        if (definition && problems.length < MAX_REPORTED_PROBLEMS) {
          const secretNames = secret ? [name] : [];
          const layer = { source: 'server' as const, values: { [name]: value }, secretNames };
          for (const fault of resolveVariables({ definitions: [definition], layers: [layer], budget }).problems)
            problems.push({ ...fault, message: `${fault.message} ("${host.name}")` });
        }
      }
      if (!secret) {
        variables[name] = value;
        continue;
      }
      const at = pool.addSecret(name, value);
      // A plain value that the plan declares secret has no secret version. Its frozen value is final and never read
      // again.
      secrets[name] = { version: secretVersion ?? PLAIN_VALUE_MARK, at };
      if (!frozen.secretNames.includes(name)) frozen.secretNames.push(name);
      if (frozen.secrets[at] === undefined) {
        frozen.secrets[at] = value;
        frozen.secretOrigins.push({ name, value, from: `the server "${host.name}"` });
      }
    }
    own.set(host.id, {
      variables: Object.keys(variables).length > 0 ? variables : null,
      secrets: Object.keys(secrets).length > 0 ? secrets : null,
    });
  }
  return {
    frozen: { ...frozen, own },
    problems: [...listSharedValueProblems(shared.problems, covered, hosts, sources, startNames), ...problems],
  };
}

/** Returns the names of start values that replace a secret of a server. Such a value is a secret too. */
function findSecretServerVariables(
  servers: ReadonlyMap<string, ServerValues>,
  startNames: ReadonlySet<string>,
): Set<string> {
  const names = new Set<string>();
  if (startNames.size === 0) return names;
  for (const values of servers.values())
    for (const name of startNames) if (values.get(name)?.secretVersion) names.add(name);
  return names;
}

function freezeSharedValues(
  { definitions, environment, start }: ValueSources,
  resolved: readonly { name: string; value: VariableValue | null; secret: boolean; source: VariableSource | null }[],
): Omit<FrozenValues, 'own'> {
  const declared = new Set(definitions.map(({ name }) => name));
  const beside = Object.entries(environment.values)
    .filter(([name]) => !declared.has(name))
    .map(([name, value]) => ({
      ...{ name, value, secret: environment.secretNames.includes(name) },
      source: 'environment' as const,
    }));
  const part: Omit<FrozenValues, 'own'> = {
    variables: {},
    secrets: {},
    secretNames: [],
    secretVersions: {},
    sources: {},
    secretOrigins: [],
  };
  for (const { name, value, secret, source } of [...resolved, ...beside]) {
    if (value === null) continue;
    part.sources[name] = source ?? 'plan';
    if (!secret) {
      part.variables[name] = value;
      continue;
    }
    const isSetAtStart = Object.hasOwn(start.values, name);
    part.secrets[name] = value;
    part.secretNames.push(name);
    part.secretOrigins.push({ name, value, from: isSetAtStart ? null : ENVIRONMENT_ORIGIN });
    // A start value overrides the environment's value, so the environment's version is irrelevant.
    const version = isSetAtStart ? undefined : environment.versions[name];
    if (version !== undefined) part.secretVersions[name] = version;
  }
  return part;
}

/** Returns the problems of shared values and the hosts that lack a value. Omits values that every host overrides. */
function listSharedValueProblems(
  problems: readonly ProblemItem[],
  covered: ReadonlyMap<string, number>,
  hosts: readonly ValuedHost[],
  { servers }: ValueSources,
  startNames: ReadonlySet<string>,
): ProblemItem[] {
  return problems.flatMap((problem) => {
    const name = problem.path.split('/')[2] ?? '';
    const coveringCount = startNames.has(name) ? 0 : (covered.get(name) ?? 0);
    if (coveringCount === 0) return [problem];
    if (coveringCount === hosts.length) return [];
    const hostWithoutValue = hosts.find(({ id }) => !servers.get(id)?.has(name));
    const others = hosts.length - coveringCount - 1;
    const more = others > 0 ? ` and ${others} more` : '';
    return [
      {
        ...problem,
        message: `${problem.message} Servers without a value: "${hostWithoutValue?.name ?? ''}"${more}.`,
      },
    ];
  });
}

const NOT_STARTED_TEXT = 'The run was not started.';

export interface StartSecret {
  name: string;
  value: VariableValue;
  /** Origin of the value for people, such as "the environment"; null: the start request. */
  from: string | null;
}

/**
 * Demands that all secrets can be masked in command output: each is long enough, and together they fit the memory of
 * masking.
 *
 * @throws Problem 400 with `secret_too_short` for each such secret, or `secrets_too_large`
 */
export function requireMaskableSecrets(secrets: readonly StartSecret[]): void {
  const unmaskableProblems = secrets.flatMap(({ name, value, from }): ProblemItem[] => {
    const fault = findSecretFault(name, value);
    if (!fault) return [];
    const origin = from === null ? '' : ` This value comes from ${from}.`;
    return [{ path: `/variables/${name}`, code: fault.code, message: `${fault.message}${origin}` }];
  });
  if (unmaskableProblems.length > 0)
    throw invalidRequest(unmaskableProblems.slice(0, MAX_REPORTED_PROBLEMS), NOT_STARTED_TEXT);
  const fault = findSecretsSizeFault(
    Object.fromEntries(
      secrets.map(({ name, value, from }) => [
        from?.includes('"') ? `${name} of ${from}` : name,
        computeSecretSize(value),
      ]),
    ),
  );
  if (fault)
    throw invalidRequest([{ path: '/variables', code: 'secrets_too_large', message: fault }], NOT_STARTED_TEXT);
}

/**
 * As `requireMaskableSecrets`, for secrets that an earlier run froze and the request does not contain.
 * @param secrets by name, or by `toHostSecretKey`
 * @throws Problem 409 `secret_too_short`, `secrets_too_large`
 */
export function requireMaskableFrozenSecrets(secrets: readonly [string, VariableValue][]): void {
  const rerunAdvice = 'Rerun with the current values (snapshot: current).';
  for (const [key, value] of secrets) {
    const fault = findSecretFault(toSecretName(key), value);
    if (fault) throw conflict(fault.code, `${fault.message} ${rerunAdvice}`);
  }
  const fault = findSecretsSizeFault(
    Object.fromEntries(secrets.map(([key, value]) => [key, computeSecretSize(value)])),
  );
  if (fault) throw conflict('secrets_too_large', `${fault} ${rerunAdvice}`);
}

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
      : steps.filter((step) => findRenderedFacts(step, findFrozenTemplate(step, library)).length > 0);
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
