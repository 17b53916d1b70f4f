import { describe, expect, it } from 'vitest';
import type { Execution, Plan, PlanVariable, StartExecutionRequest } from '../../../api/types';
import { initialForm, isGiven, quoted, toCurl, toStartRequest } from './start-request';

const variable = (name: string, type: PlanVariable['type'], more: Partial<PlanVariable> = {}): PlanVariable => ({
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
  it('begins without values, so that defaults are not sent as if somebody had typed them', () => {
    expect(initialForm(plan, null)).toEqual({
      mode: 'auto',
      environmentId: 'staging',
      targets: '',
      note: '',
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

  it('tells false and 0 from no value', () => {
    const variables = { TAG: '', COUNT: 0, FORCE: false, NAMES: [], TOKEN: 's' };
    expect(toStartRequest(plan, form({ variables })).variables).toEqual({ COUNT: 0, FORCE: false, TOKEN: 's' });
    expect([isGiven(''), isGiven(null), isGiven([]), isGiven(0), isGiven(false), isGiven(['']), isGiven(' ')]).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  it('names the environment only when it is not that of the plan', () => {
    expect(toStartRequest(plan, form())).not.toHaveProperty('environmentId');
    expect(toStartRequest(plan, form({ environmentId: 'prod' }))).toHaveProperty('environmentId', 'prod');
    expect(toStartRequest(plan, form({ environmentId: null }))).not.toHaveProperty('environmentId');
  });

  it('holds the start to the digest of a dry run', () => {
    expect(toStartRequest(plan, form(), 'd1')).toHaveProperty('expectedDigest', 'd1');
  });
});

describe('the start as a command', () => {
  const request: StartExecutionRequest = {
    planId: 'p1',
    execution_mode: 'auto',
    variables: { TAG: "it's", TOKEN: 'hunter2' },
  };

  it('never holds a secret or a token', () => {
    const command = toCurl('https://runward.example', request, ['TOKEN']);
    expect(command).not.toContain('hunter2');
    expect(command).toContain('"TOKEN":"<TOKEN>"');
    expect(command).toContain('Bearer $RUNWARD_TOKEN');
  });

  it('quotes the body for a shell', () => {
    expect(toCurl('https://runward.example', request, ['TOKEN'])).toContain(`"TAG":"it'\\''s"`);
    expect(quoted("a'b")).toBe(`'a'\\''b'`);
    expect(quoted('$(rm -rf /) `x` "y" \\')).toBe(`'$(rm -rf /) \`x\` "y" \\'`);
  });

  it('has no variables when the request has none', () => {
    expect(toCurl('https://x', { planId: 'p1', execution_mode: 'auto' }, [])).toContain(
      `-d '{"planId":"p1","execution_mode":"auto"}'`,
    );
  });
});
