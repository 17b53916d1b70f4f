import type { TokenAccess, TokenScope } from '../../api/types';

/** Selection in a form. An empty list means no restriction. */
export interface ScopeChoice {
  access: TokenAccess;
  environmentIds: string[];
  planIds: string[];
}

export const WHOLE: ScopeChoice = { access: 'all', environmentIds: [], planIds: [] };

export const ACCESS_NAMES: Record<TokenAccess, string> = {
  read: 'Read only',
  run: 'Start and control runs',
  all: 'All rights of the member',
};

export const ACCESS_MEANINGS: Record<TokenAccess, string> = {
  read: 'Changes nothing. For dashboards and reports.',
  run: 'Also starts, reruns, pauses and cancels runs. For pipelines. Cannot approve or change plans.',
  all: 'Also changes plans, servers and variables, within the rights of the member.',
};

/** Selection that a new token starts with. Tokens are mostly for pipelines. */
export const NEW_SCOPE: ScopeChoice = { ...WHOLE, access: 'run' };

/** Returns the scope for a request; undefined = all rights of the member. */
export function scopeOf({ access, environmentIds, planIds }: ScopeChoice): TokenScope | undefined {
  if (access === 'all' && environmentIds.length === 0 && planIds.length === 0) return undefined;
  return {
    access,
    ...(environmentIds.length > 0 ? { environmentIds } : {}),
    ...(planIds.length > 0 ? { planIds } : {}),
  };
}

export type Names = ReadonlyMap<string, string>;

/** Lists the names in a sentence. Only counts records whose name is unknown. */
export function listed(ids: readonly string[], names: Names, [one, many]: [string, string]): string {
  const known = ids.flatMap((id) => names.get(id) ?? []);
  const unknown = ids.length - known.length;
  const named = known.slice(0, 3);
  const more = known.length - named.length + unknown;
  if (named.length === 0) return `${more} ${more === 1 ? one : many}`;
  if (more > 0) return `${named.join(', ')} and ${more} more`;
  return named.length === 1 ? String(named[0]) : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

const ACCESS_SENTENCES: Record<TokenAccess, string> = {
  read: 'The token can only read.',
  run: 'The token can read, and start and control runs. It cannot approve.',
  all: 'The token has all rights of its member.',
};

/** Returns the names of selected plans without an environment. For these, the user must select environments. */
export function plansWithoutEnvironment(
  { environmentIds, planIds }: ScopeChoice,
  plans: readonly { id: string; name: string; environmentId: string | null }[],
): string[] {
  if (environmentIds.length > 0) return [];
  return plans.flatMap(({ id, name, environmentId }) => (environmentId === null && planIds.includes(id) ? [name] : []));
}

export function scopeSentence({ access, environmentIds, planIds }: ScopeChoice, environments: Names, plans: Names) {
  const where =
    environmentIds.length > 0 ? listed(environmentIds, environments, ['environment', 'environments']) : null;
  if (planIds.length > 0) {
    const which = `the ${planIds.length === 1 ? 'plan' : 'plans'} ${listed(planIds, plans, ['plan', 'plans'])}`;
    const there = where ?? `the environments that ${planIds.length === 1 ? 'it is' : 'they are'} bound to now`;
    return `${ACCESS_SENTENCES[access]} It can view ${which} and ${planIds.length === 1 ? 'its' : 'their'} runs in ${there}. It cannot view servers, variables or records of the whole tenant.`;
  }
  if (where)
    return `${ACCESS_SENTENCES[access]} It can view ${where} with servers, variables and runs, and plans that can run there. It cannot view other environments or records of the whole tenant, such as members, keys and scripts.`;
  return `${ACCESS_SENTENCES[access]} It can view everything that its member can view.`;
}

export function scopeSummary(scope: TokenScope | null, environments: Names, plans: Names): string {
  if (!scope) return ACCESS_NAMES.all;
  const { access, environmentIds, planIds } = scope;
  if (environmentIds?.length === 0)
    return 'No environment: its plans have none and the scope lists none. Create a token with environments instead.';
  return [
    ACCESS_NAMES[access],
    ...(environmentIds ? [`in ${listed(environmentIds, environments, ['environment', 'environments'])}`] : []),
    ...(planIds ? [`plan ${listed(planIds, plans, ['plan', 'plans'])}`] : []),
  ].join(', ');
}
