import { Context, defaultOperators, type FilterImplOptions, Liquid, type Template } from 'liquidjs';
import { MissingFactDrop } from './command-facts.ts';
import { INSERTION_MARK } from '../shell/shell-places.ts';
import { createSharedFilters } from './shared-filters.ts';
import { shellWords } from '../shell/shell-text.ts';
import { MAX_PRODUCED, WorkMeter, getParsingCost } from './work-meter.ts';
import type { VariableScalar, VariableValue } from '../../variables/variable-value.ts';
import { readTemplateUse, type TemplateUse } from './command-references.ts';

/** Limit of a command. The same limit applies to its template. */
export const MAX_COMMAND_LENGTH = 65_536;

export const COMMAND_TAGS = ['if', 'unless', 'case', 'for', 'break', 'continue', 'assign', 'comment', 'raw'] as const;

/** Replaces a secret in a template's scope, so that the template cannot read the value. */
export class SecretReference {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** Shell expansion: the shell reads the value from its environment when the command runs. */
  expansion(): string {
    return `"\${${this.#name}}"`;
  }

  toString(): never {
    throw new TemplateValueError('A secret can only stand alone in {{ … }}.');
  }
}

/** Invalid use of a value. The message is for the author of the command. */
export class TemplateValueError extends Error {
  override readonly name = 'TemplateValueError';
}

const DEFAULT_ADVICE = "Say what to use instead: | default: 'x'.";
const isList = (value: unknown): value is VariableScalar[] => Array.isArray(value);

function toUsableValue(value: unknown): VariableValue {
  if (value instanceof SecretReference) throw new TemplateValueError('A secret can only stand alone in {{ … }}.');
  if (isList(value) || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (value instanceof MissingFactDrop) throw new TemplateValueError(`${value.explanation} ${DEFAULT_ADVICE}`);
  throw new TemplateValueError("This has no value. Give one at the start, or say what to use instead: | default: 'x'.");
}

function requireText(value: unknown): string {
  const found = toUsableValue(value);
  return isList(found) ? found.map(String).join(' ') : String(found);
}

function requireList(filter: string, value: unknown): VariableScalar[] {
  const found = toUsableValue(value);
  if (isList(found)) return found;
  throw new TemplateValueError(`The filter ${filter} needs a list.`);
}

const isMissing = (value: unknown) => value === undefined || value === null || value instanceof MissingFactDrop;

/** Filter functions. A missing value is an error, never empty text. */
const FILTER_FUNCTIONS: Record<string, (value: unknown, ...args: unknown[]) => unknown> = {
  append: (value, end) => requireText(value) + requireText(end),
  default: (value, other) =>
    isMissing(value) || value === '' || (isList(value) && value.length === 0) ? toUsableValue(other) : value,
  downcase: (value) => requireText(value).toLowerCase(),
  first: (value) => requireList('first', value)[0],
  join: (value, separator = ' ') => requireList('join', value).map(String).join(requireText(separator)),
  last: (value) => requireList('last', value).at(-1),
  prepend: (value, start) => requireText(start) + requireText(value),
  replace: (value, from, to) => replaceText(requireText(value), requireText(from), requireText(to)),
  size: (value) =>
    isList(toUsableValue(value)) ? requireList('size', value).length : Array.from(requireText(value)).length,
  sort: (value) =>
    requireList('sort', value).toSorted((a, b) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0)),
  split: (value, separator) =>
    requireText(separator) === '' ? Array.from(requireText(value)) : requireText(value).split(requireText(separator)),
  strip: (value) => requireText(value).trim(),
  uniq: (value) => [...new Set(requireList('uniq', value))],
  upcase: (value) => requireText(value).toUpperCase(),
  // Does nothing, because inserted values are always quoted. Exists because Ansible has this filter.
  quote: (value) => toUsableValue(value),
  string: (value) => requireText(value),
  ...createSharedFilters(toUsableValue, (message) => new TemplateValueError(message)),
};

const FILTER_ALIASES: Readonly<Record<string, string>> = {
  count: 'size',
  length: 'size',
  lower: 'downcase',
  trim: 'strip',
  unique: 'uniq',
  upper: 'upcase',
};
for (const [name, filter] of Object.entries(FILTER_ALIASES))
  if (FILTER_FUNCTIONS[filter]) FILTER_FUNCTIONS[name] = FILTER_FUNCTIONS[filter];

export const COMMAND_FILTERS: readonly string[] = [...Object.keys(FILTER_FUNCTIONS), 'raw'].sort();

function replaceText(value: string, from: string, to: string): string {
  if (from === '') throw new TemplateValueError('The filter replace needs the text to look for.');
  const parts = value.split(from);
  if (parts.length * to.length > MAX_PRODUCED) throw new TemplateValueError('The result of replace is too large.');
  return parts.join(to);
}

/** Returns the quoted value between two marks. The caller must verify that quotes protect it at this position. */
function quoteForShell(value: unknown): string {
  if (value instanceof SecretReference) return INSERTION_MARK + value.expansion() + INSERTION_MARK;
  const words = shellWords(toUsableValue(value));
  return words === '' ? '' : INSERTION_MARK + words + INSERTION_MARK;
}

/**
 * Creates a Liquid engine with few tags and filters. It reads only own properties, and neither files nor other
 * templates.
 */
export const createCommandEngine = (): Liquid => createEngine(quoteForShell);

/**
 * Like `createCommandEngine`, for text that no shell reads: values are not quoted, and list items are separated by
 * spaces.
 */
export const createTextEngine = (): Liquid => createEngine(requireText);

function createEngine(outputEscape: (value: unknown) => unknown): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    parseLimit: MAX_COMMAND_LENGTH,
    templates: {},
    operators: LIQUID_OPERATORS,
    outputEscape: meterFilter(outputEscape),
  });
  for (const tag of Object.keys(engine.tags)) {
    if (!COMMAND_TAGS.some((known) => known === tag)) delete engine.tags[tag];
  }
  for (const filter of Object.keys(engine.filters)) engine.unregisterFilter(filter);
  for (const [name, filter] of Object.entries(FILTER_FUNCTIONS)) {
    engine.registerFilter(
      name,
      meterFilter((value, ...args) => (args.forEach((arg) => void toUsableValue(arg)), filter(value, ...args))),
    );
  }
  engine.registerFilter('raw', {
    raw: true,
    handler: meterFilter((value) => (value instanceof SecretReference ? quoteForShell(value) : requireText(value))),
  });
  return engine;
}

/** Operators whose cost grows with the size of their operands. */
const METERED_OPERATORS = ['==', '!=', '<', '>', '<=', '>=', 'contains'] as const;
const LIQUID_OPERATORS = {
  ...defaultOperators,
  ...Object.fromEntries(
    METERED_OPERATORS.map((name) => [
      name,
      (left: unknown, right: unknown, context: Context) => {
        WorkMeter.getMeterOf(context)?.handle(left, right);
        return (defaultOperators[name] as BinaryOperator)(left, right, context);
      },
    ]),
  ),
};
type BinaryOperator = (left: unknown, right: unknown, context: Context) => boolean;

/** Renders parsed templates with limited work. @throws errors of the engine and the meter */
export function renderMetered(engine: Liquid, templates: Template[], scope: object, meter: WorkMeter): string {
  const context = new Context(scope, engine.options, { sync: true }, { liquid: engine });
  return String(engine.renderSync(templates, meter.attachToContext(context)));
}

/** Wraps a filter so that the meter counts its input and output. */
function meterFilter(
  filter: (value: unknown, ...args: unknown[]) => unknown,
): Extract<FilterImplOptions, (...args: never[]) => unknown> {
  return function (value: unknown, ...args: unknown[]) {
    const meter = WorkMeter.getMeterOf(this.context);
    meter?.spend(1);
    meter?.handle(value, ...args);
    const result = filter(value, ...args);
    meter?.handle(result);
    meter?.countProduced(typeof result === 'string' || isList(result) ? result.length : 1);
    return result;
  };
}

/** Maximum total length of cached texts, in characters. Parsed texts need about ten times as much memory. */
const CACHE_CHARACTERS = 131_072;
const TEXT_OVERHEAD_CHARACTERS = 512;

export interface ParsedText {
  readonly templates: Template[];
  readonly use: TemplateUse;
}

/**
 * Cache of parsed texts, because a step renders the same text for each host. Rendering does not change a parsed text.
 */
export class ParsedTexts {
  /** Least recently used first. */
  private readonly cachedTexts = new Map<string, ParsedText>();
  private size = 0;

  private readonly engine: Liquid;

  constructor(engine: Liquid) {
    this.engine = engine;
  }

  /** @throws errors of the engine for an invalid template; TooMuchWork */
  getParsedText(text: string, meter?: WorkMeter): ParsedText {
    const known = this.cachedTexts.get(text);
    if (known) this.cachedTexts.delete(text);
    else meter?.spend(getParsingCost(text));
    const parsed = known ?? this.parse(text);
    if (!known) this.evictFor(computeCacheSize(text));
    this.cachedTexts.set(text, parsed);
    return parsed;
  }

  private parse(text: string): ParsedText {
    const templates = this.engine.parse(text);
    return { templates, use: readTemplateUse(this.engine, templates) };
  }

  private evictFor(neededCharacters: number): void {
    this.size += neededCharacters;
    for (const oldest of this.cachedTexts.keys()) {
      if (this.size <= CACHE_CHARACTERS) return;
      this.cachedTexts.delete(oldest);
      this.size -= computeCacheSize(oldest);
    }
  }
}

const computeCacheSize = (text: string): number => text.length + TEXT_OVERHEAD_CHARACTERS;
