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
      { field: 'c', before: null, after: 'null', kind: 'added' },
      { field: 'a', before: 'null', after: 'null', kind: 'same' },
    ]);
  });

  it('are all fields of a record that was created or deleted, and none when there is no record', () => {
    expect(changesOf(null, { a: 1 })).toMatchObject([{ kind: 'added' }]);
    expect(changesOf({ a: 1 }, null)).toMatchObject([{ kind: 'gone' }]);
    expect(changesOf(null, null)).toEqual([]);
  });

  it('compare nested values by their content', () => {
    expect(changesOf({ tags: { a: ['x'] } }, { tags: { a: ['x'] } })).toMatchObject([{ kind: 'same' }]);
    expect(changesOf({ tags: ['x'] }, { tags: ['y'] })).toMatchObject([{ before: '[\n  "x"\n]', kind: 'changed' }]);
  });
});
