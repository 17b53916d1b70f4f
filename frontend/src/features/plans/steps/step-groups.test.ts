import { describe, expect, it } from 'vitest';
import { emptyStep, type StepRow } from '../form/step-form';
import { describeGroup, groupsOf, groupsWithErrors } from './step-groups';

const row = (change: Partial<StepRow> = {}): StepRow => ({ ...emptyStep([]), ...change });

describe('groups of a step', () => {
  it('depend on its type: a gate has no hosts, a wait no program', () => {
    expect(groupsOf('command')).toEqual(['where', 'when', 'failure', 'advanced']);
    expect(groupsOf('wait')).toEqual(['where', 'when', 'failure']);
    expect(groupsOf('gate')).toEqual(['when', 'failure']);
  });

  it('with an error are found by the paths of their fields, only for the step that is asked for', () => {
    const errors = { 'steps.1.batch': 'x', 'steps.1.retries.count': 'x', 'steps.10.become': 'x', 'steps.1.key': 'x' };
    expect(groupsWithErrors(errors, 1)).toEqual(['where', 'failure']);
    expect(groupsWithErrors(errors, 10)).toEqual(['advanced']);
    expect(groupsWithErrors(errors, 0)).toEqual([]);
  });

  it('say what holds when nothing is set', () => {
    expect(groupsOf('command').map((group) => describeGroup(group, row()))).toEqual([
      'All hosts of the plan',
      'Always',
      'As set in the plan',
      'Defaults',
    ]);
  });

  it('sum up what is set', () => {
    expect(describeGroup('where', row({ targets: ' role=web ', runOnce: true, batch: ' 25% ' }))).toBe(
      'role=web, once, on the first host, 25% at a time',
    );
    expect(describeGroup('when', row({ when: 'a', unless: 'test -e x\nfalse', confirm: true }))).toBe(
      'if a; unless test -e x succeeds; needs confirmation',
    );
    const retries = { count: 2, delaySeconds: 5, backoff: 'exponential' } as const;
    expect(describeGroup('failure', row({ retries, maxFailPercent: 0, onFailure: 'stop', timeoutSeconds: 60 }))).toBe(
      '60 s per host, retries 2× after 5 s, doubling, 0 % may fail, then stops',
    );
  });

  it('omit fields that the type does not have', () => {
    expect(describeGroup('when', row({ type: 'wait', unless: 'true' }))).toBe('Always');
    expect(describeGroup('advanced', row({ type: 'template', become: 'root', outputs: ['x'] }))).toBe('as root');
    expect(describeGroup('failure', row({ type: 'gate', timeoutSeconds: 60 }))).toBe('expires after 60 s');
  });
});
