import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../common/ids.js';
import { audiencesOf } from './audiences.js';

describe('recipients of a message about several environments', () => {
  const [all, some, none] = [newId(), newId(), newId()];
  const readers = new Map([
    ['a', new Set([all, some])],
    ['b', new Set([all])],
  ]);

  it('are told of those that they see, and addresses of all that the owner of the rule sees', () => {
    expect(audiencesOf([some, none, all, 'ops@example.org'], ['a', 'b'], readers)).toEqual([
      { to: [all, 'ops@example.org'], sees: new Set(['a', 'b']) },
      { to: [some], sees: new Set(['a']) },
    ]);
    expect(audiencesOf([all, 'ops@example.org'], ['a'], readers)).toEqual([
      { to: [all, 'ops@example.org'], sees: new Set(['a']) },
    ]);
  });
});
