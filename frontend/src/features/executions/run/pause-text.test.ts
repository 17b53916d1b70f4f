import { describe, expect, it } from 'vitest';
import type { Approval, DecisionAction, PauseReason } from '../../../api/types';
import {
  choicesOf,
  choiceText,
  describeApprovals,
  describeObstacle,
  headline,
  isImmediate,
  mayReject,
  pausedStep,
} from './pause-text';

const approval = (code: string | null, currentUserCanDecide = false) =>
  ({ currentUserObstacle: code && { code, text: 'It is your own run.' }, currentUserCanDecide }) as Approval;
const decisions = (...made: ('approved' | 'rejected')[]) =>
  made.map((decision) => ({ decision })) as Approval['decisions'];

describe('what a paused run waits for', () => {
  it('says whether a host was touched already', () => {
    const fresh = { startedAt: null, awaitsYou: false };
    expect(headline(fresh, { reason: 'APPROVAL' }, null)).toBe('Waiting for approval. No host was touched.');
    expect(headline({ ...fresh, startedAt: 'x' }, { reason: 'APPROVAL' }, null)).not.toContain('No host');
  });

  it('asks for your go-ahead only when you may give it', () => {
    const run = { startedAt: 'x', awaitsYou: true };
    expect(headline(run, { reason: 'STEP_CONFIRM' }, 'Build')).toBe('Waiting for your confirmation before “Build”');
    expect(headline({ ...run, awaitsYou: false }, { reason: 'STEP_CONFIRM' }, null)).toBe(
      'Waiting for confirmation before the next step',
    );
  });

  it('counts approvals, not rejections', () => {
    expect(describeApprovals({ decisions: decisions(), requiredApprovals: 1 })).toBe('Needs 1 approval');
    expect(describeApprovals({ decisions: decisions('approved', 'rejected'), requiredApprovals: 2 })).toBe(
      '1 of 2 approvals',
    );
  });
});

describe('who may decide', () => {
  it('sees why they cannot approve', () => {
    expect(describeObstacle(approval(null, true), 'prod')).toBeNull();
    expect(describeObstacle(approval('grant_required'), 'prod')).toContain('“approve” in prod');
    expect(describeObstacle(approval('self_approval'), 'prod')).toBe(
      'It is your own run. You can still reject or cancel it.',
    );
  });

  it('may reject their own run or one that they approved, but not without the grant', () => {
    expect(mayReject(approval('self_approval'))).toBe(true);
    expect(mayReject(approval('already_decided'))).toBe(true);
    expect(mayReject(approval(null, true))).toBe(true);
    expect(mayReject(approval('grant_required'))).toBe(false);
  });
});

describe('the possible decisions', () => {
  it('are sorted by likelihood and limited to allowed ones', () => {
    expect(choicesOf({ choices: ['abort', 'skip', 'retry_failed'] })).toEqual(['retry_failed', 'skip', 'abort']);
  });

  it('say what the same word means at another pause', () => {
    expect(choiceText('skip', 'FAILURE_DECISION').label).toBe('Continue with failed hosts');
    expect(choiceText('skip', 'STEP_CONFIRM').label).toBe('Skip step');
    expect(choiceText('proceed', 'GATE').label).toBe('Open gate');
  });

  it('take effect without a question only where a step is confirmed', () => {
    const isImmediateChoice = (action: DecisionAction, reason: PauseReason) => isImmediate(action, reason);
    expect(isImmediateChoice('proceed', 'STEP_CONFIRM')).toBe(true);
    expect(isImmediateChoice('proceed', 'GATE')).toBe(false);
    expect(isImmediateChoice('abort', 'STEP_CONFIRM')).toBe(false);
  });

  it('are about a step, but for an approval', () => {
    const steps = [{ key: 'a' }, { key: 'b' }] as Parameters<typeof pausedStep>[0]['steps'];
    const pause = (stepKey: string | null) => ({ stepKey }) as Parameters<typeof pausedStep>[0]['pause'];
    expect(pausedStep({ pause: pause('b'), steps })).toBe(steps[1]);
    expect(pausedStep({ pause: pause(null), steps })).toBeNull();
    expect(pausedStep({ pause: null, steps })).toBeNull();
  });
});
