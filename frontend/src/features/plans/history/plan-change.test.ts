import { describe, expect, it } from 'vitest';
import { emptyVariable, formOf, moveItem, type PlanForm } from '../form/plan-form';
import { emptyStep } from '../form/step-form';
import { changeOf, ORDER_FIELD } from './plan-change';

const one = { ...emptyStep([]), key: 'build' };
const two = { ...emptyStep([one]), key: 'deploy' };
const plan: PlanForm = { ...formOf(null), steps: [one, two] };

describe('a change of a plan', () => {
  it('is none without a difference', () => {
    expect(changeOf(plan, structuredClone(plan))).toBeNull();
  });

  it('describes what happened to steps and variables', () => {
    const what = (after: Partial<PlanForm>) => changeOf(plan, { ...plan, ...after })?.what;
    expect(what({ steps: [one, two, { ...emptyStep([]), key: 'tidy' }] })).toBe('new step “tidy”');
    expect(what({ steps: [two] })).toBe('removal of step “build”');
    expect(what({ steps: moveItem(plan.steps, 0, 1) })).toBe('order of the steps');
    expect(what({ variables: [{ ...emptyVariable(), name: 'RELEASE' }] })).toBe('new variable RELEASE');
    expect(what({ steps: [one, { ...two, command: 'x' }] })).toBe('change of step “deploy”');
    expect(what({ locks: ['db'] })).toBe('change of the settings');
    expect(what({ name: 'a', description: 'b' })).toBe('change of several fields');
  });

  it('belongs to its field of its step, so that typing is one entry', () => {
    const group = (after: Partial<PlanForm>) => changeOf(plan, { ...plan, ...after })?.group;
    expect(group({ steps: [one, { ...two, command: 'x' }] })).toBe(`${two.row}.command`);
    expect(group({ steps: [one, { ...two, command: 'x', name: 'y' }] })).toBeNull();
    expect(group({ name: 'x' })).toBe('name');
    expect(group({ steps: moveItem(plan.steps, 0, 1) })).toBe(ORDER_FIELD);
    expect(group({ steps: [two] })).toBeNull();
  });
});
