import { Liquid } from 'liquidjs';
import { ADDRESS_FILTERS } from './address-filters.ts';
import { DATA_FILTERS } from './data-filters.ts';
import type { FilterFunction } from './filter-value.ts';
import { REGEX_FILTERS } from './regex-filters.ts';
import { Secret } from './secret-value.ts';
import { TEXT_FILTERS } from './text-filters.ts';

/** Filters of liquidjs that read neither the clock nor other templates. */
const LIQUID_FILTERS = [
  ...['abs', 'append', 'at_least', 'at_most', 'capitalize', 'ceil', 'compact', 'concat', 'default', 'divided_by'],
  ...['downcase', 'first', 'floor', 'join', 'last', 'lstrip', 'minus', 'modulo', 'plus', 'prepend', 'remove'],
  ...['replace', 'reverse', 'round', 'rstrip', 'size', 'slice', 'sort', 'split', 'strip', 'times', 'uniq', 'upcase'],
];
const LIQUID_NAMES_BY_ANSIBLE_NAME: Readonly<Record<string, string>> = {
  count: 'size',
  length: 'size',
  lower: 'downcase',
  trim: 'strip',
  unique: 'uniq',
  upper: 'upcase',
};
const OWN_FILTERS = { ...TEXT_FILTERS, ...DATA_FILTERS, ...REGEX_FILTERS, ...ADDRESS_FILTERS };

export const TEMPLATE_FILTERS: readonly string[] = [
  ...LIQUID_FILTERS,
  ...Object.keys(LIQUID_NAMES_BY_ANSIBLE_NAME),
  ...Object.keys(OWN_FILTERS),
].sort();

/** `this` of a filter in liquidjs. */
interface FilterCall {
  readonly context: { readonly memoryLimit: { use(count: number): void } };
}

type Filter = (this: FilterCall, ...args: unknown[]) => unknown;

/**
 * Replaces all filters of the engine with these. The size of each result counts towards the memory limit of the
 * rendering.
 */
export function registerFilters(engine: Liquid): void {
  const builtInFilters = { ...engine.filters };
  for (const name of Object.keys(builtInFilters)) engine.unregisterFilter(name);
  for (const name of LIQUID_FILTERS) register(engine, name, name, builtInFilters[name] as Filter);
  for (const [name, liquid] of Object.entries(LIQUID_NAMES_BY_ANSIBLE_NAME))
    register(engine, name, liquid, builtInFilters[liquid] as Filter);
  for (const [name, filter] of Object.entries<FilterFunction>(OWN_FILTERS)) register(engine, name, name, filter);
}

function register(engine: Liquid, name: string, meaning: string, filter: Filter): void {
  engine.registerFilter(name, function (this: FilterCall, value: unknown, ...args: unknown[]) {
    const secretArgument = args.flat().find((arg) => arg instanceof Secret);
    if (secretArgument instanceof Secret && meaning !== 'default') secretArgument.refuse();
    if (value instanceof Secret) return value.apply(meaning, (text) => String(filter.call(this, text, ...args)));
    if (Array.isArray(value)) for (const item of value as unknown[]) if (item instanceof Secret) item.refuse();
    const result = filter.call(this, value, ...args);
    this.context.memoryLimit.use(weight(result));
    return result;
  });
}

const weight = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : 1);
