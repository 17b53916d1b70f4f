import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findCronFault, toCron, findCronWarnings, MAX_CRON_LENGTH } from './cron-expression.js';

const DAYS_OF_MONTH =
  '1 to 31, L for the last day, 15W for the weekday nearest to the 15th, LW for the last weekday, or ? for all';
const WEEKDAYS =
  '0 to 7 (0 and 7 are Sunday), SUN to SAT, MON#1 for the first Monday, 5L for the last Friday, or ? for all';
const page = readFileSync(path.join(import.meta.dirname, '../../../../docs/schedules.md'), 'utf8');
/** Returns the cron expressions with which the items of a list in the documentation begin. */
function documented(list: 'accepted' | 'refused'): string[] {
  const [items = ''] = (page.split(`<!-- cron: ${list} -->\n`)[1] ?? '').split('\n\n');
  return items.split('\n').flatMap((item) => {
    const [head = ''] = /^- (?:`[^`]+`(?:, )?)+/.exec(item) ?? [];
    return [...head.matchAll(/`([^`]+)`/g)].map(([, expression = '']) => expression);
  });
}
const datesOf = (expression: string): string[] =>
  toCron(expression, 'UTC')
    .nextRuns(3, new Date('2026-11-27T02:00:00Z'))
    .map((time) => time.toISOString().slice(0, 10));

describe('a cron expression', () => {
  it.each([
    '* * * * *',
    '30 2 * * 1-5',
    '*/15 8-17 * * mon-fri',
    '0 0 1,15 * *',
    '0 0 L * *',
    '0 9 * * MON#1',
    ' 5  4 * * 7 ',
  ])('is accepted: %s', (text) => expect(findCronFault(text)).toBeNull());

  it.each([
    ['60 * * * *', 1, 'minute', '0 to 59'],
    ['5/10 * * * *', 1, 'minute', '0 to 59'],
    ['? * * * *', 1, 'minute', '0 to 59'],
    ['0 ? * * *', 2, 'hour', '0 to 23'],
    ['0 0 1 ? *', 4, 'month', '1 to 12, or JAN to DEC'],
    ['1,,2 * * * *', 1, 'minute', '0 to 59'],
    ['0 24 * * *', 2, 'hour', '0 to 23'],
    ['0 5-1 * * *', 2, 'hour', '0 to 23'],
    ['0 0 0 * *', 3, 'day of the month', DAYS_OF_MONTH],
    ['0 0 1 13 *', 4, 'month', '1 to 12, or JAN to DEC'],
    ['0 0 * * 8', 5, 'day of the week', WEEKDAYS],
    ['0 0 32W * *', 3, 'day of the month', DAYS_OF_MONTH],
    ['0 0 L-3 * *', 3, 'day of the month', DAYS_OF_MONTH],
    ['0 0 * * 5#6', 5, 'day of the week', WEEKDAYS],
    ['0 0 * * +MON', 5, 'day of the week', WEEKDAYS],
  ])('names the wrong field and its allowed values: %s', (text, number, name, takes) => {
    const written = text.split(' ')[number - 1];
    expect(findCronFault(text)).toBe(
      `cron: field ${number}, the ${name}, is "${written}". It takes ${takes}, with * for all, lists (1,5), ranges (1-5) and steps (*/10)`,
    );
  });

  it.each([
    ['', 'but this has none'],
    ['* * * *', 'but this has 4'],
    ['0 * * * * *', 'but this has 6: seconds and years are not supported'],
    ['@daily', '"0 0 * * *" instead of @daily'],
    ['0'.repeat(MAX_CRON_LENGTH + 1), `at most ${MAX_CRON_LENGTH} characters`],
    [30, 'a text of five fields'],
  ])('names missing or extra fields: %p', (text, expectedMessage) =>
    expect(findCronFault(text)).toContain(expectedMessage),
  );
});

describe('the docs page about schedules', () => {
  it('lists accepted spellings', () => {
    const accepted = documented('accepted');
    expect(accepted.length).toBeGreaterThan(12);
    for (const sign of ['?', 'L *', 'W', '#', '5L', '/', '-', ',']) expect(accepted.join('\n')).toContain(sign);
    expect(accepted.map((expression) => [expression, findCronFault(expression)])).toEqual(
      accepted.map((expression) => [expression, null]),
    );
  });

  it('lists rejected spellings', () => {
    const refused = documented('refused');
    expect(refused.length).toBeGreaterThan(8);
    expect(refused.filter((expression) => findCronFault(expression) === null)).toEqual([]);
  });

  it('names each spelling that an error message allows for a day field', () => {
    const spelled = [...`${DAYS_OF_MONTH} ${WEEKDAYS}`.matchAll(/\b(L|15W|LW|MON#1|5L)\b/g)].map(([word]) => word);
    expect(spelled).toHaveLength(5);
    for (const word of spelled) expect(documented('accepted').join(' ').split(' ')).toContain(word);
  });
});

describe('the days of an expression', () => {
  it.each([
    ['0 0 ? * 1', ['2026-11-30', '2026-12-07', '2026-12-14']],
    ['0 0 1 * ?', ['2026-12-01', '2027-01-01', '2027-02-01']],
    ['0 0 L * *', ['2026-11-30', '2026-12-31', '2027-01-31']],
    ['0 0 15W * *', ['2026-12-15', '2027-01-15', '2027-02-15']],
    ['0 0 LW * *', ['2026-11-30', '2026-12-31', '2027-01-29']],
    ['0 0 * * MON#1', ['2026-12-07', '2027-01-04', '2027-02-01']],
    ['0 0 * * 5L', ['2026-12-25', '2027-01-29', '2027-02-26']],
    ['0 0 1 * 1', ['2026-11-30', '2026-12-01', '2026-12-07']],
  ])('match its spelling: %s', (expression, dates) => expect(datesOf(expression)).toEqual(dates));

  it.each([
    ['0 0 1 * 1', 'as in Vixie cron'],
    ['0 0 L * MON', 'as in Vixie cron'],
    ['0 0 */2 * 1', 'only on days that fit both'],
    ['0 0 1 * */2', 'only on days that fit both'],
  ])('have a warning where other programs read them differently: %s', (expression, part) => {
    expect(findCronWarnings(expression)).toEqual([expect.stringContaining(part)]);
  });

  it.each(['0 0 * * *', '0 0 1 * *', '0 0 * * 1', '0 0 ? * 1', '0 0 */2 * ?', '*/5 * * * *'])(
    'have no warning where all programs read them alike: %s',
    (expression) => expect(findCronWarnings(expression)).toEqual([]),
  );
});
