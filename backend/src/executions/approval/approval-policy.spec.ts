import { describe, expect, it } from '@jest/globals';
import { isApproved, obstacleToApproval } from './approval-policy.js';

const somebody = { mayApprove: true, isRequester: false, isLastEditor: false };
const strict = { allowSelfApproval: false, alreadyDecided: false };

describe('a member who would approve a run', () => {
  it.each([
    ['may, with the right and no part in it', somebody, strict, null],
    ['may not without the right', { ...somebody, mayApprove: false }, strict, 'grant_required'],
    ['may not who started it', { ...somebody, isRequester: true }, strict, 'self_approval'],
    ['may not who last changed its plan', { ...somebody, isLastEditor: true }, strict, 'self_approval'],
    ['may not twice', somebody, { ...strict, alreadyDecided: true }, 'already_decided'],
    [
      'may, who started it and changed its plan, where the environment allows it',
      { ...somebody, isRequester: true, isLastEditor: true },
      { ...strict, allowSelfApproval: true },
      null,
    ],
    [
      'hears of the missing right first: it is what an admin can give',
      { mayApprove: false, isRequester: true, isLastEditor: true },
      { ...strict, alreadyDecided: true },
      'grant_required',
    ],
  ] as const)('%s', (_, approver, asked, obstacle) => {
    expect(obstacleToApproval(approver, asked)).toBe(obstacle);
  });
});

describe('a run', () => {
  const everybody = () => true;

  it('is let in by as many members as its environment asks for, each counted once', () => {
    expect(isApproved([], everybody, 1)).toBe(false);
    expect(isApproved(['a'], everybody, 1)).toBe(true);
    expect(isApproved(['a'], everybody, 2)).toBe(false);
    expect(isApproved(['a', 'a'], everybody, 2)).toBe(false);
    expect(isApproved(['a', 'b'], everybody, 2)).toBe(true);
  });

  it('is not let in by whoever may not approve any more', () => {
    expect(isApproved(['a', 'b'], (id) => id !== 'a', 2)).toBe(false);
    expect(isApproved(['a', 'b', 'c'], (id) => id !== 'a', 2)).toBe(true);
  });
});
