import { describe, expect, it } from '@jest/globals';
import { isApproved, describeApprovalObstacle, findApprovalObstacle } from './approval-policy.js';

const AUTHOR_INVOLVEMENT = { kind: 'plan', name: 'release', revision: 3 } as const;
const TOKEN_INVOLVEMENT = { kind: 'token', name: 'runward_1' } as const;
const RIGHT = { kind: 'right', name: 'Ada', right: 'role' } as const;
const uninvolvedApprover = { mayApprove: true, isRequester: false, involved: null };
const strictPolicy = { allowSelfApproval: false, alreadyDecided: false };

describe('a member who wants to approve a run', () => {
  it.each([
    ['may, with the right and no part in it', uninvolvedApprover, strictPolicy, null],
    ['may not without the right', { ...uninvolvedApprover, mayApprove: false }, strictPolicy, 'grant_required'],
    ['may not who started it', { ...uninvolvedApprover, isRequester: true }, strictPolicy, 'self_approval'],
    [
      'may not who created the token that started it',
      { ...uninvolvedApprover, involved: TOKEN_INVOLVEMENT },
      strictPolicy,
      'self_approval',
    ],
    [
      'may not who wrote a part of it',
      { ...uninvolvedApprover, involved: AUTHOR_INVOLVEMENT },
      strictPolicy,
      'self_approval',
    ],
    ['may not twice', uninvolvedApprover, { ...strictPolicy, alreadyDecided: true }, 'already_decided'],
    [
      'may, who started it and wrote its plan, where the environment allows it',
      { ...uninvolvedApprover, isRequester: true, involved: AUTHOR_INVOLVEMENT },
      { ...strictPolicy, allowSelfApproval: true },
      null,
    ],
    [
      'hears of the missing right first: it is what an admin can give',
      { mayApprove: false, isRequester: true, involved: AUTHOR_INVOLVEMENT },
      { ...strictPolicy, alreadyDecided: true },
      'grant_required',
    ],
  ] as const)('%s', (_, approver, asked, obstacle) => {
    expect(findApprovalObstacle(approver, asked)).toBe(obstacle);
  });
});

describe('the reason for a refusal', () => {
  it.each([
    ['grant_required', uninvolvedApprover, 'This needs the grant "approve" in "live". Ask an admin for it.'],
    [
      'self_approval',
      { ...uninvolvedApprover, isRequester: true },
      'You started this run, so another member must approve it.',
    ],
    ['self_approval', uninvolvedApprover, 'You started this run, so another member must approve it.'],
    [
      'self_approval',
      { ...uninvolvedApprover, isRequester: true, involved: AUTHOR_INVOLVEMENT },
      'You started this run, so another member must approve it.',
    ],
    [
      'self_approval',
      { ...uninvolvedApprover, involved: AUTHOR_INVOLVEMENT },
      'You saved revision 3 of the plan "release", and that has not run approved in "live" yet, so another member must approve it.',
    ],
    [
      'self_approval',
      { ...uninvolvedApprover, involved: { kind: 'script', name: 'cleanup', revision: null } },
      'You saved a revision of the script "cleanup", which was deleted since, and that has not run approved in "live" yet, so another member must approve it.',
    ],
    [
      'self_approval',
      { ...uninvolvedApprover, involved: RIGHT },
      'Ada changed your role since this run was started or its plan last ran approved in "live", and also requested this run. Another member must approve it.',
    ],
    [
      'self_approval',
      { ...uninvolvedApprover, involved: TOKEN_INVOLVEMENT },
      'You created the token that started this run, so another member must approve it.',
    ],
    [
      'self_approval',
      { ...uninvolvedApprover, involved: { kind: 'schedule', name: 'nightly' } },
      'You saved the content or times of the schedule "nightly", so another member must approve it.',
    ],
    [
      'self_approval',
      { ...uninvolvedApprover, involved: { kind: 'schedule_token', name: 'nightly' } },
      'You created the token that saved the schedule "nightly", so another member must approve it.',
    ],
    ['already_decided', uninvolvedApprover, 'You have already approved this run; it waits for further approvers.'],
  ] as const)('is a sentence: %s', (obstacle, approver, text) => {
    expect(describeApprovalObstacle(obstacle, approver, 'live')).toBe(text);
  });
});

describe('a run', () => {
  const isVisibleToAll = () => true;

  it('is approved by as many members as its environment requires, each counted once', () => {
    expect(isApproved([], isVisibleToAll, 1)).toBe(false);
    expect(isApproved(['a'], isVisibleToAll, 1)).toBe(true);
    expect(isApproved(['a'], isVisibleToAll, 2)).toBe(false);
    expect(isApproved(['a', 'a'], isVisibleToAll, 2)).toBe(false);
    expect(isApproved(['a', 'b'], isVisibleToAll, 2)).toBe(true);
  });

  it('is not approved by members who may no longer approve', () => {
    expect(isApproved(['a', 'b'], (id) => id !== 'a', 2)).toBe(false);
    expect(isApproved(['a', 'b', 'c'], (id) => id !== 'a', 2)).toBe(true);
  });
});
