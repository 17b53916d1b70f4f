import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { ProblemItem } from '../../../../common/errors/problem-item.js';
import { matchBudget } from '../../../../common/variables/linear-pattern.js';
import type { VariableValue } from '../../../../common/variables/variable-value.js';
import type { EnvironmentValues } from '../../../../environments/variables/variable-vault.js';
import type { ServerValues } from '../../../../inventory/variables/server-variable-vault.js';
import { resolveVariables } from '../../../../plans/variables/resolve-variables.js';
import type { VariableDefinition } from '../../../../plans/variables/variable-definition.js';
import { HostSecretPool } from '../../../record/host-secret-pool.js';
import { NO_SECRET } from '../../../record/host-values.js';
import type { HostSecret } from '../../../record/snapshot.js';
import type { StartSecret } from './demand-maskable.js';

/** What the values of a run are made of. */
export interface ValueSources {
  definitions: readonly VariableDefinition[];
  environment: EnvironmentValues;
  /** By server; those without any may be missing. */
  servers: ReadonlyMap<string, ServerValues>;
  start: { values: Readonly<Record<string, VariableValue>>; secretNames?: readonly string[] };
}

interface Host {
  id: string;
  name: string;
}

/** A host's own values, as a run freezes them; null: none. */
export interface OwnValues {
  variables: Record<string, VariableValue> | null;
  secrets: Record<string, HostSecret> | null;
}

/** What a run freezes of variables. */
export interface FrozenValues {
  /** Those that hosts share which have none of their own. */
  variables: Record<string, VariableValue>;
  /** The same of secrets, and those that only hosts have, by `hostSecretKey`. */
  secrets: Record<string, VariableValue>;
  secretNames: string[];
  secretVersions: Record<string, string>;
  /** By server; those without any are missing. */
  own: ReadonlyMap<string, OwnValues>;
  /** Every secret once, with where it comes from. */
  told: StartSecret[];
}

const ENVIRONMENT = 'the environment';
/** Looking at so many hosts takes a few milliseconds. */
const AT_ONCE = 500;
/** How many faults are looked for: a request is answered by the first ones. */
const MOST_FAULTS = 20;

/**
 * Gives each host its values: plan default < environment < server < start. Hosts of equal values are looked at once. All
 * that is no secret and given by no server is kept once for all hosts.
 */
export async function freezeValues(
  sources: ValueSources,
  hosts: readonly Host[],
): Promise<{ frozen: FrozenValues; problems: ProblemItem[] }> {
  const { definitions, environment, start } = sources;
  const budget = matchBudget();
  const given = new Set(Object.keys(start.values));
  const secretNames = [...(start.secretNames ?? []), ...secretOnServers(sources.servers, given)];
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
  const frozen = sharedPart(sources, shared.values);
  const own = new Map<string, OwnValues>();
  const problems: ProblemItem[] = [];
  const seen = new Set<string>();
  const covered = new Map<string, number>();
  for (const [index, host] of hosts.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await turnOfOthers();
    const values = [...(sources.servers.get(host.id) ?? [])].filter(([name]) => !given.has(name));
    if (values.length === 0) continue;
    for (const [name] of values) covered.set(name, (covered.get(name) ?? 0) + 1);
    const variables: Record<string, VariableValue> = {};
    const secrets: Record<string, HostSecret> = {};
    for (const [name, { value, secretVersion }] of values) {
      const definition = named.get(name);
      const secret = secretVersion !== null || definition?.type === 'secret' || environment.secretNames.includes(name);
      const look = `${name} ${secretVersion === null ? '' : 's'} ${JSON.stringify(value)}`;
      if (!seen.has(look)) {
        seen.add(look);
        if (definition && problems.length < MOST_FAULTS) {
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
      const at = pool.add(name, value);
      // A plain value that a plan declares secret has no version of its own: it is frozen, and not asked for again.
      secrets[name] = { version: secretVersion ?? NO_SECRET, at };
      if (!frozen.secretNames.includes(name)) frozen.secretNames.push(name);
      if (frozen.secrets[at] === undefined) {
        frozen.secrets[at] = value;
        frozen.told.push({ name, value, from: `the server "${host.name}"` });
      }
    }
    own.set(host.id, {
      variables: Object.keys(variables).length > 0 ? variables : null,
      secrets: Object.keys(secrets).length > 0 ? secrets : null,
    });
  }
  return {
    frozen: { ...frozen, own },
    problems: [...sharedProblems(shared.problems, covered, hosts, sources, given), ...problems],
  };
}

/** Names that the start gives and that are secret on a server: what is given instead of a secret is one. */
function secretOnServers(servers: ReadonlyMap<string, ServerValues>, given: ReadonlySet<string>): Set<string> {
  const names = new Set<string>();
  if (given.size === 0) return names;
  for (const values of servers.values()) for (const name of given) if (values.get(name)?.secretVersion) names.add(name);
  return names;
}

/** What all hosts share: a value that has a fault is left out. */
function sharedPart(
  { definitions, environment, start }: ValueSources,
  resolved: readonly { name: string; value: VariableValue | null; secret: boolean }[],
): Omit<FrozenValues, 'own'> {
  const declared = new Set(definitions.map(({ name }) => name));
  const beside = Object.entries(environment.values)
    .filter(([name]) => !declared.has(name))
    .map(([name, value]) => ({ name, value, secret: environment.secretNames.includes(name) }));
  const part: Omit<FrozenValues, 'own'> = {
    variables: {},
    secrets: {},
    secretNames: [],
    secretVersions: {},
    told: [],
  };
  for (const { name, value, secret } of [...resolved, ...beside]) {
    if (value === null) continue;
    if (!secret) {
      part.variables[name] = value;
      continue;
    }
    const byStart = Object.hasOwn(start.values, name);
    part.secrets[name] = value;
    part.secretNames.push(name);
    part.told.push({ name, value, from: byStart ? null : ENVIRONMENT });
    // A value of the start goes before the environment's, whose version then does not matter.
    const version = byStart ? undefined : environment.versions[name];
    if (version !== undefined) part.secretVersions[name] = version;
  }
  return part;
}

/** Faults of what hosts share, but for values that every host has of its own; with hosts that lack one of their own. */
function sharedProblems(
  problems: readonly ProblemItem[],
  covered: ReadonlyMap<string, number>,
  hosts: readonly Host[],
  { servers }: ValueSources,
  given: ReadonlySet<string>,
): ProblemItem[] {
  return problems.flatMap((problem) => {
    const name = problem.path.split('/')[2] ?? '';
    const having = given.has(name) ? 0 : (covered.get(name) ?? 0);
    if (having === 0) return [problem];
    if (having === hosts.length) return [];
    const lacking = hosts.find(({ id }) => !servers.get(id)?.has(name));
    const others = hosts.length - having - 1;
    const more = others > 0 ? ` and ${others} more` : '';
    return [
      {
        ...problem,
        message: `${problem.message} So it is on "${lacking?.name ?? ''}"${more}, whose servers give none.`,
      },
    ];
  });
}
