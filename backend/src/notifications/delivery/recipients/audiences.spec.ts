import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../common/ids.js';
import { groupIntoAudiences } from './audiences.js';

describe('recipients of a message about several environments', () => {
  const [all, some, none] = [newId(), newId(), newId()];
  const readers = new Map([
    ['a', new Set([all, some])],
    ['b', new Set([all])],
  ]);

  it('members get the ones that they can see, and addresses all that the owner of the rule can see', () => {
    expect(groupIntoAudiences([some, none, all, 'ops@example.org'], ['a', 'b'], readers)).toEqual([
      { to: [all, 'ops@example.org'], sees: new Set(['a', 'b']) },
      { to: [some], sees: new Set(['a']) },
    ]);
    expect(groupIntoAudiences([all, 'ops@example.org'], ['a'], readers)).toEqual([
      { to: [all, 'ops@example.org'], sees: new Set(['a']) },
    ]);
  });
});
