import { describe, expect, it } from 'vitest';
import { ALL, isSelected, NO_SELECTION, stateOf, keepExisting, toggled, toggledAll } from './selection';

const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));
const click = (ids: [id: string, range?: boolean][], from = NO_SELECTION) =>
  ids.reduce((selection, [id, range = false]) => toggled(selection, id, rows, range), from);
const picked = (selection: typeof NO_SELECTION) => [...selection.picked].sort().join('');

describe('a selection of servers', () => {
  it('grows and shrinks by clicks', () => {
    expect(picked(click([['a'], ['c'], ['a']]))).toBe('c');
  });

  it('takes all rows since the last click, in both directions, and leaves them out like that too', () => {
    expect(picked(click([['b'], ['d', true]]))).toBe('bcd');
    expect(picked(click([['d'], ['b', true]]))).toBe('bcd');
    expect(picked(click([['a'], ['e', true], ['d'], ['b', true]]))).toBe('ae');
  });

  it('takes one row where the last click is not in the list any more', () => {
    expect(picked(toggled({ ...NO_SELECTION, anchor: 'gone' }, 'c', rows, true))).toBe('c');
  });

  it('is all that is loaded by the box in the head, and nothing by the next click', () => {
    const all = toggledAll(NO_SELECTION, rows);
    expect([picked(all), stateOf(all, rows)]).toEqual(['abcde', 'all']);
    expect(stateOf(toggledAll(all, rows), rows)).toBe('none');
    expect(stateOf(click([['a']]), rows)).toBe('some');
    expect(stateOf(toggledAll(click([['a']]), rows), rows)).toBe('all');
  });

  it('of all that the filter leaves holds rows that are still to be loaded, and becomes one of rows by a click', () => {
    expect([isSelected(ALL, 'z'), stateOf(ALL, rows)]).toEqual([true, 'all']);
    expect(picked(toggled(ALL, 'b', rows, false))).toBe('acde');
  });

  it('loses what is not in the list any more', () => {
    const selection = click([['a'], ['b']]);
    expect(picked(keepExisting(selection, rows.slice(1)))).toBe('b');
    expect(keepExisting(selection, rows)).toBe(selection);
  });
});
