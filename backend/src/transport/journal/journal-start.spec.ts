import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { forgetCommand } from './journal-forget.js';
import { JOURNAL_START_COMMAND } from './journal-start.js';

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

describe.each([
  ['that launches a command', JOURNAL_START_COMMAND],
  ['that forgets a run', forgetCommand(randomUUID(), { whole: true }, '2026-01-31')],
  ['that forgets some commands', forgetCommand(randomUUID(), { dispatchIds: ids(3) }, '2026-01-31')],
])('the text %s', (_what, text) => {
  it('is split into the same words by any login shell', () => {
    expect(text).toMatch(/^exec \/bin\/sh -c '(?:[^'!`\n]|! )*' runward(?: '(?:[^'!`\n]|! )*')?$/);
    expect(text).not.toContain('\\\\');
  });

  it('is short enough for servers that limit the length of commands', () => {
    expect(text.length).toBeLessThan(8_000);
  });
});

it('limits the dispatches to forget to the size of an argument', () => {
  const text = forgetCommand(randomUUID(), { dispatchIds: ids(5_000) }, '2026-01-31');
  expect(text.length).toBeLessThan(8_000);
});
