import { Cron } from 'croner';

export const MAX_CRON_LENGTH = 200;

const DAYS_OF_MONTH =
  '1 to 31, L for the last day, 15W for the weekday nearest to the 15th, LW for the last weekday, or ? for all';
const WEEKDAYS =
  '0 to 7 (0 and 7 are Sunday), SUN to SAT, MON#1 for the first Monday, 5L for the last Friday, or ? for all';
const CRON_FIELDS = [
  { name: 'minute', may: '0 to 59' },
  { name: 'hour', may: '0 to 23' },
  { name: 'day of the month', may: DAYS_OF_MONTH },
  { name: 'month', may: '1 to 12, or JAN to DEC' },
  { name: 'day of the week', may: WEEKDAYS },
] as const;
const FIELD_ORDER_TEXT = 'minute, hour, day of the month, month, day of the week';
const FIELD_FORM_TEXT = 'with * for all, lists (1,5), ranges (1-5) and steps (*/10)';
/** croner accepts more characters, but other cron programs read those differently. */
const CRON_CHARACTERS_PATTERN = /^[0-9A-Za-z*/,#-]+$/;
const DAY_OF_MONTH = 2;
const WEEKDAY = 4;

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
 * Occurrences of an expression in a time zone. When clocks change, a fixed time (neither `*` nor a step in minute and
 * hour) occurs exactly once: at the end of a gap, and in the first of two repeated hours. Other times follow the clock:
 * they do not occur in a gap, and occur twice in a repeated hour.
 */
export const toCron = (expression: string, timeZone: string): Cron =>
  new Cron(replaceQuestionMarks(expression), {
    ...{ mode: '5-part', timezone: timeZone, paused: true, fixedTimeRule: 'no-wildcard' },
  });

/** Replaces `?`, which Quartz requires in one of the two day fields, with `*`. */
const replaceQuestionMarks = (expression: string): string =>
  expression
    .trim()
    .split(/\s+/)
    .map((text, index) => (text === '?' && isDayField(index) ? '*' : text))
    .join(' ');

const isDayField = (index: number): boolean => index === DAY_OF_MONTH || index === WEEKDAY;

/**
 * Returns the parts of a valid expression that other cron programs read differently. If both day fields are restricted,
 * Vixie cron and its successors run on days that match either field. Exception: if one field begins with `*`, such as
 * `*\/2`, both must match.
 */
export function findCronWarnings(expression: string): string[] {
  const fields = replaceQuestionMarks(expression).split(' ');
  const [day = '*', weekday = '*'] = [fields[DAY_OF_MONTH], fields[WEEKDAY]];
  const warnings: string[] = [];
  if (day !== '*' && weekday !== '*' && (day.startsWith('*') || weekday.startsWith('*')))
    warnings.push(
      `This runs on days that fit the day of the month (${day}) or the day of the week (${weekday}). Vixie cron, as on most Linux hosts, runs only on days that fit both, because one of them begins with *.`,
    );
  else if (day !== '*' && weekday !== '*')
    warnings.push(
      `This runs on days that fit the day of the month (${day}) or the day of the week (${weekday}), as in Vixie cron. Quartz and systemd timers run only on days that fit both.`,
    );
  return warnings;
}

/** Returns why the expression is invalid, with the wrong field and its allowed values; null = valid. */
export function findCronFault(value: unknown): string | null {
  if (typeof value !== 'string') return 'cron must be a text of five fields, such as "30 2 * * 1-5"';
  if (value.length > MAX_CRON_LENGTH) return `cron may have at most ${MAX_CRON_LENGTH} characters`;
  const fields = value.trim().split(/\s+/);
  const nickname = NICKNAMES[value.trim().toLowerCase()];
  if (nickname !== undefined) return `cron must have five fields: "${nickname}" instead of ${value.trim()}`;
  if (fields.length !== CRON_FIELDS.length)
    return `cron has five fields (${FIELD_ORDER_TEXT}), but this has ${describeFieldCount(fields)}`;
  for (const [index, text] of fields.entries()) {
    const field = CRON_FIELDS[index];
    if (!field || isValidField(text, index)) continue;
    return `cron: field ${index + 1}, the ${field.name}, is "${text}". It takes ${field.may}, ${FIELD_FORM_TEXT}`;
  }
  return null;
}

function describeFieldCount(fields: readonly string[]): string {
  if (fields.length === 1 && fields[0] === '') return 'none';
  return fields.length === 6 || fields.length === 7
    ? `${fields.length}: seconds and years are not supported`
    : String(fields.length);
}

/** Tests one field within an expression that is otherwise valid. */
function isValidField(text: string, index: number): boolean {
  if (text === '?' && isDayField(index)) return true;
  if (!CRON_CHARACTERS_PATTERN.test(text)) return false;
  try {
    toCron(CRON_FIELDS.map((_, each) => (each === index ? text : '*')).join(' '), 'UTC');
    return true;
  } catch {
    return false;
  }
}
