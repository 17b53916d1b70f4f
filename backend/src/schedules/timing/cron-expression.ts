import { Cron } from 'croner';

/** Longest expression, in characters. */
export const LONGEST_CRON = 200;

/** The fields of an expression in their order, and what each may hold. */
const FIELDS = [
  { name: 'minute', may: '0 to 59' },
  { name: 'hour', may: '0 to 23' },
  { name: 'day of the month', may: '1 to 31, or L for the last day' },
  { name: 'month', may: '1 to 12, or JAN to DEC' },
  { name: 'day of the week', may: '0 to 7 (0 and 7 are Sunday), or SUN to SAT' },
] as const;
const ORDER = 'minute, hour, day of the month, month, day of the week';
const FORM = 'with * for all, lists (1,5), ranges (1-5) and steps (*/10)';
/** What croner would take besides depends on the moment when it is read. */
const CHARACTERS = /^[0-9A-Za-z*/,#-]+$/;

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/**
 * The times of an expression in a time zone. A fixed time, which has neither `*` nor a step in minute and hour, is never
 * left out or doubled when clocks change: in a gap it comes at its end, of a repeated hour it takes the first. All others
 * follow the clock: times in a gap do not come, those of a repeated hour come twice.
 */
export const cronOf = (expression: string, timeZone: string): Cron =>
  new Cron(expression, { mode: '5-part', timezone: timeZone, paused: true, fixedTimeRule: 'no-wildcard' });

/** Why this is no expression, with the field that is wrong and what it may hold; null: it is one. */
export function cronFault(value: unknown): string | null {
  if (typeof value !== 'string') return 'cron must be a text of five fields, such as "30 2 * * 1-5"';
  if (value.length > LONGEST_CRON) return `cron may have at most ${LONGEST_CRON} characters`;
  const fields = value.trim().split(/\s+/);
  const nickname = NICKNAMES[value.trim().toLowerCase()];
  if (nickname !== undefined) return `cron is written out here: "${nickname}" instead of ${value.trim()}`;
  if (fields.length !== FIELDS.length) return `cron has five fields (${ORDER}), and this has ${countOf(fields)}`;
  for (const [index, text] of fields.entries()) {
    const field = FIELDS[index];
    if (!field || isSound(text, index)) continue;
    return `cron: field ${index + 1}, the ${field.name}, is "${text}". It takes ${field.may}, ${FORM}`;
  }
  return null;
}

function countOf(fields: readonly string[]): string {
  if (fields.length === 1 && fields[0] === '') return 'none';
  return fields.length === 6 || fields.length === 7
    ? `${fields.length}: there are no seconds or years here`
    : String(fields.length);
}

/** Tried in an expression of which nothing else can be wrong. */
function isSound(text: string, index: number): boolean {
  if (!CHARACTERS.test(text)) return false;
  try {
    cronOf(FIELDS.map((_, each) => (each === index ? text : '*')).join(' '), 'UTC');
    return true;
  } catch {
    return false;
  }
}
