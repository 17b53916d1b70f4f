import { describe, expect, it } from 'vitest';
import { mergePlans } from './merge-plans';
import type { PlanForm } from './plan-form';

type Step = PlanForm['steps'][number];
let rows = 0;
const step = (key: string, command = key): Step => ({ row: `row-${(rows += 1)}`, key, command }) as unknown as Step;
const plan = (change: Partial<PlanForm> = {}): PlanForm =>
  ({
    ...{ name: 'Deploy', description: '', targets: 'role=web', locks: [] },
    ...{ steps: [step('stop'), step('copy'), step('start')], variables: [] },
    ...change,
  }) as unknown as PlanForm;
const merge = (mine: Partial<PlanForm>, theirs: Partial<PlanForm>) => {
  const { form, collisions } = mergePlans(plan(), plan(mine), plan(theirs));
  return { form, collisions, keys: form.steps.map(({ key }) => key).join(' ') };
};

describe('two changes of a plan', () => {
  it('are merged field by field', () => {
    const { form, collisions } = merge({ name: 'Deploy shop' }, { description: 'Rolls out' });
    expect(form).toMatchObject({ name: 'Deploy shop', description: 'Rolls out' });
    expect(collisions).toEqual([]);
  });

  it('keep the own change of a field that both changed, and name the field', () => {
    const { form, collisions } = merge({ targets: 'role=db' }, { targets: 'role=cache' });
    expect(form.targets).toBe('role=db');
    expect(collisions).toEqual(['targets']);
  });

  it('do not collide if both made the same change', () => {
    expect(merge({ targets: 'role=db' }, { targets: 'role=db' }).collisions).toEqual([]);
  });

  it('are merged step by step', () => {
    const mine = { steps: [step('stop', 'halt'), step('copy'), step('start')] };
    const { form, collisions } = merge(mine, { steps: [step('stop'), step('copy'), step('start', 'boot')] });
    expect(form.steps.map(({ key, command }) => `${key} ${command}`)).toEqual(['stop halt', 'copy copy', 'start boot']);
    expect(collisions).toEqual([]);
  });

  it('keep steps that either side added, each after its predecessor', () => {
    const mine = { steps: [step('stop'), step('backup'), step('copy'), step('start')] };
    const theirs = { steps: [step('lock'), step('stop'), step('copy'), step('start'), step('check')] };
    expect(merge(mine, theirs).keys).toBe('lock stop backup copy start check');
  });

  it('drop steps that one side removed and the other did not change', () => {
    expect(merge({ steps: [step('copy'), step('start')] }, { steps: [step('stop'), step('copy')] }).keys).toBe('copy');
  });

  it('name a step that one side removed and the other changed', () => {
    const mine = { steps: [step('stop'), step('start')] };
    const theirs = { steps: [step('stop'), step('copy', 'rsync'), step('start')] };
    expect(merge(mine, theirs)).toMatchObject({ keys: 'stop start', collisions: ['step copy'] });
  });

  it('take the order of the side that reordered', () => {
    const reordered = { steps: [step('copy'), step('stop'), step('start')] };
    expect(merge({ name: 'x' }, reordered).keys).toBe('copy stop start');
    expect(merge(reordered, { name: 'x' }).keys).toBe('copy stop start');
  });
});
