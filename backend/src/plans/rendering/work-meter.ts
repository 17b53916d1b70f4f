import type { Context } from 'liquidjs';

/** Maximum number of operations to evaluate one text. An operation takes at most about 2 µs of processor time. */
export const MAX_OPERATIONS = 500_000;
/** Maximum number of characters and list items that one text may produce. */
export const MAX_PRODUCED = 2_000_000;

/** Operations per parsed `{{ … }}` or `{% … %}`, and number of characters that cost one operation. */
const OPERATIONS_PER_TAG = 3;
const CHARACTERS_PER_TAG_OPERATION = 5;
const CHARACTERS_PER_TEXT_OPERATION = 256;
/** Number of characters of a text, or items of a list, that cost one operation. */
const CHARACTERS = 256;
const ITEMS_PER_OPERATION = 16;

const METER_REGISTER = 'work';

export class TooMuchWorkError extends Error {
  override readonly name = 'TooMuchWork';
  readonly limit: number;

  constructor(limit: number) {
    super(`This takes more than ${limit.toLocaleString('en')} operations.`);
    this.limit = limit;
  }
}

/**
 * Counts operations while a text is parsed and evaluated. The same text and values give the same count on every
 * machine.
 */
export class WorkMeter {
  readonly limit: number;
  private taken = 0;
  private made = 0;

  constructor(limit: number = MAX_OPERATIONS) {
    this.limit = limit;
  }

  get operations(): number {
    return this.taken;
  }

  get isExceeded(): boolean {
    return this.taken > this.limit;
  }

  /** @throws TooMuchWork */
  spend(operations: number): void {
    this.taken += operations;
    if (this.isExceeded) throw new TooMuchWorkError(this.limit);
  }

  /** Counts the operations to read or write these values. @throws TooMuchWork */
  handle(...values: readonly unknown[]): void {
    for (const value of values) {
      if (typeof value === 'string') this.spend(value.length / CHARACTERS);
      else if (Array.isArray(value)) this.spend(value.length / ITEMS_PER_OPERATION);
    }
  }

  /** Counts produced characters or list items. @throws Error, TooMuchWork */
  countProduced(count: number): void {
    if (!(count > 0)) return;
    this.made += count;
    if (this.made > MAX_PRODUCED) throw new Error(`it makes more than ${MAX_PRODUCED} characters and list items`);
    this.spend(count / CHARACTERS);
  }

  /** Attaches the meter to a context, so that the engine counts operations there. */
  attachToContext(context: Context): Context {
    context.setRegister(METER_REGISTER, this);
    context.renderLimit.check = () => this.spend(1);
    context.memoryLimit.use = (count) => this.countProduced(count);
    return context;
  }

  /** Returns the meter of a context; undefined = operations are not counted. */
  static getMeterOf(context: Context): WorkMeter | undefined {
    const found: unknown = context.getRegister(METER_REGISTER);
    return found instanceof WorkMeter ? found : undefined;
  }
}

/** Upper bound of operations for parsing a text. */
export function getParsingCost(text: string): number {
  let tags = 0;
  let within = 0;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const next = text.charAt(at + 1);
    const end = next === '{' ? findEnd(text, at, '}}') : next === '%' ? findEnd(text, at, '%}') : null;
    if (end !== null) {
      tags += 1;
      within += end - at;
    }
    at = end ?? at + 1;
  }
  return (
    tags * OPERATIONS_PER_TAG +
    within / CHARACTERS_PER_TAG_OPERATION +
    (text.length - within) / CHARACTERS_PER_TEXT_OPERATION
  );
}

/** Returns the offset after the end of a tag. Like the engine, ignores ends within quotes. */
function findEnd(text: string, from: number, delimiter: string): number {
  let quote = '';
  for (let at = from + 2; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (text.startsWith(delimiter, at)) return at + 2;
  }
  return text.length;
}
