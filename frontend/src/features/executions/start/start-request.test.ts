import { describe, expect, it } from 'vitest';
import type { Execution, Plan, PlanVariable, VariableType } from '../../../api/types';
import { hasValue } from '../../../ui/variables/typed-value';
import { initialForm, toStartRequest } from './start-request';

const variable = (name: string, type: VariableType, more: Partial<PlanVariable> = {}): PlanVariable => ({
  name,
  type,
  required: false,
  ...more,
});
const plan = {
  id: 'p1',
  environmentId: 'staging',
  variables: [
    variable('TAG', 'string', { default: 'latest' }),
    variable('COUNT', 'integer'),
    variable('FORCE', 'boolean'),
    variable('NAMES', 'list'),
    variable('TOKEN', 'secret'),
  ],
} as Plan;
const form = (change: Partial<ReturnType<typeof initialForm>> = {}) => ({ ...initialForm(plan, null), ...change });
const earlier = (variables: Execution['variables'], more: Partial<Execution> = {}) =>
  ({ execution_mode: 'interactive', environmentId: 'prod', targets: 'role=web', variables, ...more }) as Execution;

describe('the start form', () => {
  it('starts without values, so that defaults are not sent as input', () => {
    expect(initialForm(plan, null)).toEqual({
      mode: 'auto',
      environmentId: 'staging',
      targets: '',
      note: '',
      labels: [],
      queue: false,
      startAt: null,
      override: null,
      variables: { TAG: '', COUNT: '', FORCE: null, NAMES: [], TOKEN: '' },
    });
  });

  it('begins with what the run to repeat had, but never with a secret', () => {
    const values = { TAG: 'v2', COUNT: 0, FORCE: false, NAMES: ['a', 1], TOKEN: '***' };
    expect(initialForm(plan, earlier(values))).toEqual({
      mode: 'interactive',
      environmentId: 'prod',
      targets: 'role=web',
      note: '',
      labels: [],
      queue: false,
      startAt: null,
      override: null,
      variables: { TAG: 'v2', COUNT: 0, FORCE: false, NAMES: ['a', '1'], TOKEN: '' },
    });
  });

  it('offers a real run after a dry run', () => {
    expect(initialForm(plan, earlier({}, { execution_mode: 'dry_run' })).mode).toBe('auto');
  });

  it('drops values whose variable has changed its type since', () => {
    const { variables } = initialForm(plan, earlier({ TAG: ['x'], FORCE: 'true', NAMES: 'x' }));
    expect(variables).toMatchObject({ TAG: '', FORCE: null, NAMES: [] });
  });
});

describe('the start request', () => {
  it('holds the plan and the mode only when nothing was given', () => {
    expect(toStartRequest(plan, form())).toEqual({ planId: 'p1', execution_mode: 'auto' });
  });

  it('distinguishes false and 0 from no value', () => {
    const variables = { TAG: '', COUNT: 0, FORCE: false, NAMES: [], TOKEN: 's' };
    expect(toStartRequest(plan, form({ variables })).variables).toEqual({ COUNT: 0, FORCE: false, TOKEN: 's' });
    expect([
      hasValue(''),
      hasValue(null),
      hasValue([]),
      hasValue(0),
      hasValue(false),
      hasValue(['']),
      hasValue(' '),
    ]).toEqual([false, false, false, true, true, true, true]);
  });

  it('names the environment only when it is not that of the plan', () => {
    expect(toStartRequest(plan, form())).not.toHaveProperty('environmentId');
    expect(toStartRequest(plan, form({ environmentId: 'prod' }))).toHaveProperty('environmentId', 'prod');
    expect(toStartRequest(plan, form({ environmentId: null }))).not.toHaveProperty('environmentId');
  });

  it('waits in the queue or for a time when that is asked for, unless it is a dry run', () => {
    const waiting = form({ queue: true, startAt: '2026-03-14T02:00', labels: ['release=2.4=1'] });
    const at = new Date('2026-03-14T02:00').toISOString();
    expect(toStartRequest(plan, waiting)).toMatchObject({
      onOverlap: 'queue',
      startAt: at,
      labels: { release: '2.4=1' },
    });
    expect(toStartRequest(plan, { ...waiting, startAt: '' })).not.toHaveProperty('startAt');
    const dry = toStartRequest(plan, { ...waiting, mode: 'dry_run' });
    expect([dry.onOverlap, dry.startAt, dry.labels]).toEqual([undefined, undefined, { release: '2.4=1' }]);
  });

  it('holds the start to the digest of a dry run', () => {
    expect(toStartRequest(plan, form(), 'd1')).toHaveProperty('expectedDigest', 'd1');
  });
});
