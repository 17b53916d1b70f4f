import type { Operation, Schema } from '../support/openapi.js';
import type { HistoryOf, HistoryPlaces } from './synthetic-history.js';

/** Values for each filter: frequent, rare, old and unused ones. */
export type Values = Readonly<Record<string, readonly string[]>>;

const NEVER = '01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79';

export function filterValues(history: HistoryOf, places: HistoryPlaces): Values {
  const { environments, starters } = history;
  const { begin, end } = places;
  const part = (share: number) => new Date(begin.getTime() + share * (end.getTime() - begin.getTime())).toISOString();
  return {
    environmentId: [environments.common, environments.rare, environments.old, NEVER],
    planId: [places.plans.often, places.plans.seldom, places.plans.old, NEVER],
    serverId: [places.servers.often, places.servers.seldom, places.servers.old, NEVER],
    startedById: [starters.often, starters.seldom, NEVER],
    actorId: [starters.often, starters.seldom, NEVER],
    parentId: [places.parents.often, places.parents.once, NEVER],
    resourceId: [places.resources.often, places.resources.seldom, NEVER],
    action: ['execution.finish', 'member.create', 'plan.delete'],
    resourceType: ['execution', 'member', 'plan'],
    label: ['team=often', 'team=seldom', 'ring=often', 'team=old', 'team=never'],
    status: ['SUCCEEDED', 'REJECTED', 'EXPIRED'],
    execution_mode: ['auto', 'interactive', 'semi_assisted'],
    from: [part(0.999), part(0), part(0.5)],
    to: [part(0.001), part(0.5), part(1)],
    finishedFrom: [part(0.999), part(0)],
    finishedTo: [part(0.001), part(1)],
    updatedFrom: [new Date(Date.now() - 60_000).toISOString(), part(0)],
    q: ['often', 'never', NEVER.slice(-8), NEVER],
  };
}

/** Plain SQL of each filter on a row `e`; `?` is the array of requested values. */
export const RUN_CONDITIONS = {
  planId: 'plan_id = any (?::uuid[])',
  environmentId: 'environment_id = any (?::uuid[])',
  startedById: 'started_by = any (?::uuid[])',
  parentId: 'parent_id = any (?::uuid[])',
  serverId: 'id in (select execution_id from execution_hosts where server_id = any (?::uuid[]))',
  label: `not exists (select from unnest(?::text[]) wanted where not exists (
    select from execution_labels l where l.execution_id = e.id and l.key || '=' || l.value = wanted))`,
  status: 'status = any (?::text[])',
  execution_mode: 'execution_mode = any (?::text[])',
  legalHold: 'legal_hold = any (?::boolean[])',
  from: 'created_at >= all (?::timestamptz[])',
  to: 'created_at < all (?::timestamptz[])',
  finishedFrom: 'finished_at >= all (?::timestamptz[])',
  finishedTo: 'finished_at < all (?::timestamptz[])',
  updatedFrom: 'updated_at >= all (?::timestamptz[])',
  q: `not exists (select from unnest(?::text[]) wanted where not (plan_name ilike '%' || wanted || '%'
    or coalesce(note, '') ilike '%' || wanted || '%' or exists (select from jsonb_each_text(e.labels) l
      where l.key || '=' || l.value ilike '%' || wanted || '%') or e.id::text like '%' || wanted))`,
  awaiting: `(status = 'PAUSED' and cardinality(?::text[]) = 1)`,
};

export const ENTRY_CONDITIONS = {
  actorId: 'actor_id = any (?::uuid[])',
  resourceId: 'resource_id = any (?::uuid[])',
  action: 'action = any (?::text[])',
  resourceType: 'resource_type = any (?::text[])',
  from: 'at >= all (?::timestamptz[])',
  to: 'at < all (?::timestamptz[])',
};

/** Returns the values of a parameter: those in `given`, otherwise all of its schema. */
export function valuesOf(name: string, schema: Schema, given: Values): readonly string[] {
  const named = schema.enum ?? schema.items?.enum;
  const values = given[name] ?? (named ? named.map(String) : schema.type === 'boolean' ? ['true', 'false'] : []);
  if (values.length === 0) throw new Error(`Add values for the filter ${name} to filter-cases.ts.`);
  return values;
}

export type Query = readonly (readonly [string, string])[];

const SHAPE = ['limit', 'cursor', 'sort'];

/**
 * Returns the queries of a list: without filters, with each value of each filter in each order, and with all filters at
 * once.
 * @param paired true = also with each pair of filters
 */
export function queriesOf({ parameters = [] }: Operation, given: Values, paired = true): Query[] {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const sorts = (query.find(({ name }) => name === 'sort')?.schema.enum ?? []) as string[];
  const filters = query
    .filter(({ name }) => !SHAPE.includes(name))
    .map(({ name, schema }) => ({ name, values: valuesOf(name, schema, given), several: schema.type === 'array' }));
  const single: Query[] = filters.flatMap(({ name, values, several }) => [
    ...values.map((value): Query => [[name, value]]),
    ...(several ? [values.map((value) => [name, value] as const)] : []),
  ]);
  // Pairs the first, frequent value of one filter with the second, rare value of the other.
  const pairs = filters.flatMap((one, index) =>
    filters.slice(index + 1).flatMap((other): Query[] => [
      [
        [one.name, one.values[0] ?? ''],
        [other.name, other.values[1] ?? other.values[0] ?? ''],
      ],
    ]),
  );
  const all: Query = filters.map(({ name, values }) => [name, values[0] ?? '']);
  const usual: Query[] = [[], ...single, ...(paired ? pairs : []), all, [['limit', '200']]];
  const other = sorts.find((sort) => !sort.startsWith('-'));
  return [...usual, ...(other ? [[], ...single].map((each): Query => [...each, ['sort', other]]) : [])].filter(isRange);
}

/** The API refuses a time range that ends before it begins. */
const isRange = (query: Query): boolean => {
  const { from, to } = Object.fromEntries(query) as { from?: string; to?: string };
  return from === undefined || to === undefined || from <= to;
};
