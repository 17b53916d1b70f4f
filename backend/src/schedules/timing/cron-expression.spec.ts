import { describe, expect, it } from '@jest/globals';
import { cronFault, LONGEST_CRON } from './cron-expression.js';

describe('a cron expression', () => {
  it.each([
    '* * * * *',
    '30 2 * * 1-5',
    '*/15 8-17 * * mon-fri',
    '0 0 1,15 * *',
    '0 0 L * *',
    '0 9 * * MON#1',
    ' 5  4 * * 7 ',
  ])('is read: %s', (text) => expect(cronFault(text)).toBeNull());

  it.each([
    ['60 * * * *', 1, 'minute', '0 to 59'],
    ['5/10 * * * *', 1, 'minute', '0 to 59'],
    ['? * * * *', 1, 'minute', '0 to 59'],
    ['1,,2 * * * *', 1, 'minute', '0 to 59'],
    ['0 24 * * *', 2, 'hour', '0 to 23'],
    ['0 5-1 * * *', 2, 'hour', '0 to 23'],
    ['0 0 0 * *', 3, 'day of the month', '1 to 31, or L for the last day'],
    ['0 0 1 13 *', 4, 'month', '1 to 12, or JAN to DEC'],
    ['0 0 * * 8', 5, 'day of the week', '0 to 7 (0 and 7 are Sunday), or SUN to SAT'],
    ['0 0 * * +MON', 5, 'day of the week', '0 to 7 (0 and 7 are Sunday), or SUN to SAT'],
  ])('tells which field is wrong and what it takes: %s', (text, number, name, takes) => {
    const written = text.split(' ')[number - 1];
    expect(cronFault(text)).toBe(
      `cron: field ${number}, the ${name}, is "${written}". It takes ${takes}, with * for all, lists (1,5), ranges (1-5) and steps (*/10)`,
    );
  });

  it.each([
    ['', 'and this has none'],
    ['* * * *', 'and this has 4'],
    ['0 * * * * *', 'and this has 6: there are no seconds or years here'],
    ['@daily', '"0 0 * * *" instead of @daily'],
    ['0'.repeat(LONGEST_CRON + 1), `at most ${LONGEST_CRON} characters`],
    [30, 'a text of five fields'],
  ])('tells what it has too little or too much of: %p', (text, told) => expect(cronFault(text)).toContain(told));
});
