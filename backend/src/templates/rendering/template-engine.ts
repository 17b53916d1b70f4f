import { Drop, Liquid, Output, type Template, type Token, toValueSync, TypeGuards, Value } from 'liquidjs';
import { toPlainText, ValueError } from './filters/filter-value.ts';
import { registerFilters } from './filters/known-filters.ts';
import { patternOf, REGEX_FILTERS } from './filters/regex-filters.ts';
import { Secret } from './filters/secret-value.ts';
import type { ThreadRequest } from './template-request.ts';

export const TEMPLATE_TAGS: readonly string[] = [
  ...['if', 'unless', 'case', 'for', 'break', 'continue', 'assign', 'comment', 'raw', '#'],
];

/** Value of an undefined name in previews: null in conditions, a mark in the file. */
export class UnknownValue extends Drop {
  readonly mark: string;

  constructor(name: string) {
    super();
    this.mark = `‹no value for ${name}›`;
  }

  override valueOf(): null {
    return null;
  }

  /** Fields of an undefined name are undefined too. */
  override liquidMethodMissing(): UnknownValue {
    return this;
  }
}

/** Fault in a quoted text of the template, found while parsing. */
export class LiteralPatternError extends Error {
  override readonly name = 'LiteralFault';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

function toOutputText(value: unknown): string {
  if (value instanceof Secret) return value.reveal();
  return value instanceof UnknownValue ? value.mark : toPlainText(value);
}

/** Returns Liquid restricted to a few tags and own properties, without access to files or other templates. */
export function createTemplateEngine({ renderMs, memory, length }: ThreadRequest['limits']): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    ownPropertyOnly: true,
    parseLimit: length,
    renderLimit: renderMs,
    memoryLimit: memory,
    templates: {},
    outputEscape: toOutputText,
  });
  for (const tag of Object.keys(engine.tags)) if (!TEMPLATE_TAGS.includes(tag)) delete engine.tags[tag];
  registerFilters(engine);
  return engine;
}

/**
 * Parses a template. Keeps backslashes in quoted arguments of `regex_…` filters literally, and validates quoted
 * patterns.
 * @throws LiteralPatternError, and errors of liquidjs
 */
export function parseTemplate(engine: Liquid, content: string): Template[] {
  const templates = engine.parse(content);
  readPatterns(templates);
  return templates;
}

function readPatterns(templates: readonly Template[]): void {
  for (const template of templates) {
    const values = template instanceof Output ? [template.value] : [...(template.arguments?.() ?? [])];
    for (const value of values) if (value instanceof Value) readFilters(value);
    if (template.children) readPatterns(toValueSync(template.children(false, true)));
  }
}

function readFilters({ filters }: Value): void {
  for (const { name, args } of filters) {
    if (!Object.hasOwn(REGEX_FILTERS, name)) continue;
    for (const [index, arg] of args.entries()) {
      const token: Token | undefined = Array.isArray(arg) ? arg[1] : arg;
      if (!token || !TypeGuards.isQuotedToken(token)) continue;
      const text = token
        .getText()
        .slice(1, -1)
        .replaceAll(/\\([\\'"])/g, '$1');
      Object.assign(token, { content: text });
      if (Array.isArray(arg) ? arg[0] === 'pattern' : index === 0) validatePattern(text, token.begin);
    }
  }
}

function validatePattern(text: string, offset: number): void {
  try {
    patternOf(text);
  } catch (error) {
    if (error instanceof ValueError) throw new LiteralPatternError(error.message, offset);
    throw error;
  }
}
