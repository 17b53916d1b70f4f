import { describe, expect, it } from 'vitest';
import {
  type EditHistory,
  MAX_ENTRIES,
  noHistory,
  PAUSE_MS,
  recorded,
  redoStep,
  sealed,
  undoStep,
} from './edit-history';

/** Simulates a text that is typed letter by letter. `at`: time of each letter. */
function typed(
  letters: readonly { after: string; at: number; group?: string | null }[],
  start = '',
): EditHistory<string> {
  let before = start;
  let history = noHistory<string>();
  for (const { after, at, group = 'text' } of letters) {
    history = recorded(history, { before, after, at, group, what: 'text', pause: PAUSE_MS });
    before = after;
  }
  return history;
}
const valuesOf = ({ past }: EditHistory<string>) => past.map(({ values }) => values);

describe('history of edits', () => {
  it('takes what is typed in one field without a pause as one entry', () => {
    const history = typed([
      { after: 'a', at: 0 },
      { after: 'ab', at: 900 },
      { after: 'abc', at: 1800 },
    ]);
    expect(valuesOf(history)).toEqual(['']);
  });

  it('begins a new entry after a pause, in another field and for what has no group', () => {
    const history = typed([
      { after: 'a', at: 0 },
      { after: 'ab', at: PAUSE_MS },
      { after: 'abc', at: PAUSE_MS + 1, group: 'other' },
      { after: 'abcd', at: PAUSE_MS + 2, group: null },
      { after: 'abcde', at: PAUSE_MS + 3, group: null },
    ]);
    expect(valuesOf(history)).toEqual(['', 'a', 'ab', 'abc', 'abcd']);
  });

  it('leaves no entry for what comes back to where it began', () => {
    expect(
      valuesOf(
        typed([
          { after: 'a', at: 0 },
          { after: '', at: 10 },
        ]),
      ),
    ).toEqual([]);
  });

  it('goes back and forth', () => {
    const history = typed([
      { after: 'a', at: 0 },
      { after: 'ab', at: 5000 },
    ]);
    const back = undoStep(history, 'ab');
    expect(back).toMatchObject({ values: 'a', what: 'text' });
    const further = back && undoStep(back.history, back.values);
    expect(further?.values).toBe('');
    expect(further && undoStep(further.history, '')).toBeNull();
    const again = further && redoStep(further.history, '');
    expect(again?.values).toBe('a');
    const all = again && redoStep(again.history, 'a');
    expect(all?.values).toBe('ab');
    expect(all && redoStep(all.history, 'ab')).toBeNull();
  });

  it('forgets what was undone once something else is changed, and does not add to an older entry', () => {
    const history = typed([
      { after: 'a', at: 0 },
      { after: 'ab', at: 5000 },
    ]);
    const back = undoStep(history, 'ab');
    const other = recorded(back?.history ?? noHistory<string>(), {
      before: 'a',
      after: 'ax',
      at: 100,
      group: 'text',
      what: 'text',
      pause: PAUSE_MS,
    });
    expect(other.redoEntries).toEqual([]);
    expect(valuesOf(other)).toEqual(['', 'a']);
  });

  it('takes nothing more into an entry that is sealed, however long a group may last', () => {
    const history = sealed(typed([{ after: 'a', at: 0 }]));
    const next = recorded(history, { before: 'a', after: 'b', at: 1, group: 'text', what: 'text', pause: Infinity });
    expect(valuesOf(next)).toEqual(['', 'a']);
  });

  it('is bounded: the oldest entries are dropped', () => {
    const letters = Array.from({ length: MAX_ENTRIES + 5 }, (_, index) => ({
      after: String(index),
      at: 0,
      group: null,
    }));
    const history = typed(letters, 'start');
    expect(history.past).toHaveLength(MAX_ENTRIES);
    expect(valuesOf(history)[0]).toBe('4');
  });
});
