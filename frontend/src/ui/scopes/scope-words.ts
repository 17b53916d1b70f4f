import type { TokenAccess, TokenScope } from '../../api/types';

/** What is chosen in a form: empty lists narrow nothing. */
export interface ScopeChoice {
  access: TokenAccess;
  environmentIds: string[];
  planIds: string[];
}

export const WHOLE: ScopeChoice = { access: 'all', environmentIds: [], planIds: [] };

export const ACCESS_NAMES: Record<TokenAccess, string> = {
  read: 'Read only',
  run: 'Start and steer runs',
  all: 'Everything its member may',
};

export const ACCESS_MEANINGS: Record<TokenAccess, string> = {
  read: 'Changes nothing. For dashboards and reports.',
  run: 'Also starts, repeats, pauses and cancels runs. For pipelines. It neither approves nor changes plans.',
  all: 'Also changes plans, servers and variables, as far as its member may.',
};

/** What a request says; undefined: the token may whatever its member may. */
export function scopeOf({ access, environmentIds, planIds }: ScopeChoice): TokenScope | undefined {
  if (access === 'all' && environmentIds.length === 0 && planIds.length === 0) return undefined;
  return {
    access,
    ...(environmentIds.length > 0 ? { environmentIds } : {}),
    ...(planIds.length > 0 ? { planIds } : {}),
  };
}

/** Names of records by their ids. */
export type Names = ReadonlyMap<string, string>;

/** Names for a sentence; unknown ones are counted. */
export function listed(ids: readonly string[], names: Names, [one, many]: [string, string]): string {
  const known = ids.flatMap((id) => names.get(id) ?? []);
  const unknown = ids.length - known.length;
  const named = known.slice(0, 3);
  const more = known.length - named.length + unknown;
  if (named.length === 0) return `${more} ${more === 1 ? one : many}`;
  if (more > 0) return `${named.join(', ')} and ${more} more`;
  return named.length === 1 ? String(named[0]) : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

const DOES: Record<TokenAccess, string> = {
  read: 'It reads, and changes nothing.',
  run: 'It reads, and starts and steers runs. It can’t approve.',
  all: 'It may do whatever its member may.',
};

/** Names of those of the chosen plans for which environments have to be chosen too: bound to none. */
export function plansWithoutEnvironment(
  { environmentIds, planIds }: ScopeChoice,
  plans: readonly { id: string; name: string; environmentId: string | null }[],
): string[] {
  if (environmentIds.length > 0) return [];
  return plans.flatMap(({ id, name, environmentId }) => (environmentId === null && planIds.includes(id) ? [name] : []));
}

/** What a token of this scope sees and does, in sentences. */
export function scopeSentence({ access, environmentIds, planIds }: ScopeChoice, environments: Names, plans: Names) {
  const where =
    environmentIds.length > 0 ? listed(environmentIds, environments, ['environment', 'environments']) : null;
  if (planIds.length > 0) {
    const which = `the ${planIds.length === 1 ? 'plan' : 'plans'} ${listed(planIds, plans, ['plan', 'plans'])}`;
    const there = where ?? `the environments that ${planIds.length === 1 ? 'it is' : 'they are'} bound to now`;
    return `${DOES[access]} It sees ${which} and the runs of ${planIds.length === 1 ? 'it' : 'these'} in ${there}: no servers, no variables, nothing of the whole tenant.`;
  }
  if (where)
    return `${DOES[access]} It sees ${where}, the servers, variables and runs there, and the plans that can run there: nothing of other environments or the whole tenant, such as members, keys and scripts.`;
  return `${DOES[access]} It sees everything that its member sees.`;
}

/** The same in few words, for a list. */
export function scopeSummary(scope: TokenScope | null, environments: Names, plans: Names): string {
  if (!scope) return ACCESS_NAMES.all;
  const { access, environmentIds, planIds } = scope;
  if (environmentIds?.length === 0)
    return 'Reaches no environment: its plans are bound to none, and it names none. Replace it with one that names environments.';
  return [
    ACCESS_NAMES[access],
    ...(environmentIds ? [`in ${listed(environmentIds, environments, ['environment', 'environments'])}`] : []),
    ...(planIds ? [`plan ${listed(planIds, plans, ['plan', 'plans'])}`] : []),
  ].join(', ');
}
