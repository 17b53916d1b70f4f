import { describe, expect, it } from 'vitest';
import { changesOf } from './changes';

describe('the changes of a record', () => {
  it('precede fields that every write changes, then unchanged fields', () => {
    const before = { version: 1, name: 'a', description: 'x' };
    expect(changesOf(before, { ...before, version: 2, name: 'b' }).map(({ field, kind }) => [field, kind])).toEqual([
      ['name', 'changed'],
      ['version', 'changed'],
      ['description', 'same'],
    ]);
  });

  it('distinguish an added or removed field from null', () => {
    expect(changesOf({ a: null, b: 1 }, { a: null, c: null })).toEqual([
      { field: 'b', before: '1', after: null, kind: 'gone' },
      { field: 'c', before: null, after: 'none', kind: 'added' },
      { field: 'a', before: 'none', after: 'none', kind: 'same' },
    ]);
  });

  it('are all fields of a record that was created or deleted, and none when there is no record', () => {
    expect(changesOf(null, { a: 1 })).toMatchObject([{ kind: 'added' }]);
    expect(changesOf({ a: 1 }, null)).toMatchObject([{ kind: 'gone' }]);
    expect(changesOf(null, null)).toEqual([]);
  });

  it('name the changed value within a nested record, and no other value', () => {
    const step = { key: 's1', type: 'command', command: 'uptime', retries: { attempts: 1, delaySeconds: 5 } };
    const before = { steps: [{ key: 's0', command: 'date' }, step] };
    const after = { steps: [{ ...step, retries: { attempts: 3, delaySeconds: 5 } }, before.steps[0]] };
    expect(changesOf(before, after).filter(({ kind }) => kind !== 'same')).toEqual([
      { field: 'steps · s1 · retries · attempts', before: '1', after: '3', kind: 'changed' },
    ]);
  });

  it('number list items without distinct names', () => {
    expect(changesOf({ rules: [{ a: 1 }, { a: 2 }] }, { rules: [{ a: 1 }, { a: 3 }] })).toMatchObject([
      { field: 'rules · 2 · a', before: '2', after: '3' },
      { field: 'rules · 1 · a', kind: 'same' },
    ]);
  });

  it('show lists of plain values in one line, and empty values as none', () => {
    expect(changesOf({ tags: ['x'], labels: {} }, { tags: ['x', 'y'], labels: { a: 'b' } })).toMatchObject([
      { field: 'tags', before: 'x', after: 'x, y' },
      { field: 'labels', before: 'none', after: null },
      { field: 'labels · a', before: null, after: 'b' },
    ]);
  });
});
