import { describe, expect, it } from '@jest/globals';
import { limitProblemFaults, MAX_LISTED_FAULTS } from './bounded-problem.js';
import { conflict, invalidRequest } from './problem.js';
import { MAX_TEXT_LENGTH, toPointerPart, shortenText } from '../text/shorten.js';

const faults = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: `/steps/${index}`,
    code: 'wrong_type' as const,
    message: 'No.',
  }));

describe('a problem answer', () => {
  it('lists all faults up to the limit without a count', () => {
    const problem = invalidRequest(faults(MAX_LISTED_FAULTS));
    expect(limitProblemFaults(problem)).toEqual({ detail: problem.detail, errors: faults(MAX_LISTED_FAULTS) });
  });

  it('lists the first of many faults with their number', () => {
    const bounded = limitProblemFaults(invalidRequest(faults(MAX_LISTED_FAULTS + 1), 'Refused.'));
    expect(bounded.errors).toEqual(faults(MAX_LISTED_FAULTS));
    expect(bounded.detail).toBe(
      `Refused. \`errors\` lists the first ${MAX_LISTED_FAULTS} of ${MAX_LISTED_FAULTS + 1} faults.`,
    );
  });

  it('reports a number of faults larger than its list', () => {
    const problem = invalidRequest(faults(MAX_LISTED_FAULTS), 'Refused.');
    problem.extras.faults = 5000;
    expect(limitProblemFaults(problem).detail).toContain(`first ${MAX_LISTED_FAULTS} of 5000 faults`);
  });

  it('has no list of faults for a problem without faults', () => {
    expect(limitProblemFaults(conflict('in_use', 'It is in use.'))).toEqual({ detail: 'It is in use.' });
  });

  it('is short even when it repeats long names and texts', () => {
    const long = { path: `/${'x'.repeat(1e6)}/0`, code: 'unknown_field' as const, message: 'y'.repeat(1e6) };
    const text = JSON.stringify(limitProblemFaults(invalidRequest([long])));
    expect(text.length).toBeLessThan(4000);
    expect(text).toContain(`/${'x'.repeat(MAX_TEXT_LENGTH)}…/0`);
  });

  it('never cuts a pointer within an escape sequence', () => {
    const listed = (path: string) =>
      limitProblemFaults(invalidRequest([{ path, code: 'unknown_field', message: 'No.' }])).errors?.[0]?.path;
    const known = `/${toPointerPart('/'.repeat(MAX_TEXT_LENGTH + 1))}`;
    expect(listed(known)).toBe(known);
    expect(listed(`/x${'~1'.repeat(5000)}`)).toBe(`/x${'~1'.repeat(MAX_TEXT_LENGTH - 1)}…`);
  });
});

describe('the text of a caller', () => {
  it('is unchanged when short, and cut between characters when long', () => {
    expect(shortenText('x'.repeat(MAX_TEXT_LENGTH))).toBe('x'.repeat(MAX_TEXT_LENGTH));
    expect(shortenText(`${'x'.repeat(MAX_TEXT_LENGTH - 1)}😀`)).toBe(`${'x'.repeat(MAX_TEXT_LENGTH - 1)}…`);
  });

  it('is cut before it is escaped in pointers', () => {
    expect(toPointerPart('a/b~c')).toBe('a~1b~0c');
    expect(toPointerPart('/'.repeat(MAX_TEXT_LENGTH + 1))).toBe(`${'~1'.repeat(MAX_TEXT_LENGTH)}…`);
  });
});
