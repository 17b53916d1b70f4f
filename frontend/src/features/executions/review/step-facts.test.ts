import { describe, expect, it } from 'vitest';
import type { ReviewStep } from '../../../api/types';
import { stepFacts } from './step-facts';

const step = {
  type: 'command',
  hostCount: 2,
  become: null,
  when: null,
  outerConditions: [],
  targets: '',
} as unknown as ReviewStep;

describe('the facts of a step', () => {
  it('name the hosts, and what narrows or raises what it does', () => {
    expect(stepFacts(step)).toEqual(['on 2 hosts']);
    expect(stepFacts({ ...step, hostCount: 1, targets: 'role=db', become: 'root', when: 'x' })).toEqual([
      'on 1 host',
      'targets role=db',
      'as root',
      'only when x',
    ]);
  });

  it('say that a gate asks a person', () => {
    expect(stepFacts({ ...step, type: 'gate' })).toEqual(['needs confirmation']);
  });
});
