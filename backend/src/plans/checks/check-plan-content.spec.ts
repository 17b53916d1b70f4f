import { describe, expect, it } from '@jest/globals';
import { checkPlanContent } from './check-plan-content.js';
import type { CommandStep } from '../steps/types/command.step.js';
import { EMPTY_PLAN, type PlanContent } from '../steps/plan-content.js';
import { STEP_DEFAULTS } from '../steps/types/step-types.js';

const step = (change: Partial<CommandStep> = {}): CommandStep => ({
  ...STEP_DEFAULTS.command,
  key: 'restart',
  name: 'Restart',
  type: 'command',
  command: 'systemctl restart {{ service }}',
  targets: '',
  timeoutSeconds: 600,
  ...change,
});
const plan = (change: Partial<PlanContent> = {}): PlanContent => ({
  ...EMPTY_PLAN,
  targets: 'role=web',
  variables: [
    { name: 'service', type: 'string' },
    { name: 'TOKEN', type: 'secret' },
  ],
  steps: [step()],
  timeoutSeconds: null,
  ...change,
});
const faults = (content: PlanContent) => checkPlanContent(content).map(({ path, code }) => `${path} ${code}`);

describe('plan content', () => {
  it('is accepted if valid', () => {
    expect(faults(plan())).toEqual([]);
    expect(
      faults(
        plan({
          timeoutSeconds: 86_400,
          steps: [step(), step({ key: 'b-2_c', targets: 'name=web-*', timeoutSeconds: 1 })],
        }),
      ),
    ).toEqual([]);
  });

  it.each(['', 'Restart', '-a', '_a', 'a b', 'é', 'a/b', 'a'.repeat(64), '__proto__', 'a\n'])(
    'refuses the step key %j',
    (key) => {
      expect(faults(plan({ steps: [step({ key })] }))).toEqual(['/steps/0/key invalid_key']);
    },
  );

  it('refuses duplicate keys', () => {
    expect(faults(plan({ steps: [step(), step({ key: 'b' }), step()] }))).toEqual(['/steps/2/key duplicate_key']);
  });

  it.each(['', '  ', 'x'.repeat(201)])('refuses the step name %j', (name) => {
    expect(faults(plan({ steps: [step({ name })] }))).toEqual(['/steps/0/name invalid_name']);
  });

  it.each([
    ['', 'required'],
    [' \n\t', 'required'],
    ['x'.repeat(65_537), 'too_long'],
    ['ü'.repeat(32_769), 'too_long'],
    ['ls\0', 'invalid_text'],
    ['ls \ud800', 'invalid_text'],
    ['ls {{ nope }}', 'unknown_variable'],
    ['ls {{ service | upcas }}', 'unknown_filter'],
    ['ls {{ TOKEN | upcase }}', 'secret_in_expression'],
    ['echo "{{ service }}"', 'unsafe_place'],
    ['docker ps --format "{{.Names}}"', 'invalid_template'],
  ])('reports the position of a faulty command (%#: %s)', (command, code) => {
    expect([...new Set(faults(plan({ steps: [step(), step({ key: 'b', command })] })))]).toContain(
      `/steps/1/command ${code}`,
    );
  });

  it('accepts a command of exactly 64 KiB', () => {
    expect(faults(plan({ steps: [step({ command: 'x'.repeat(65_536) })] }))).toEqual([]);
  });

  it.each([0, -1, 1.5, 86_401, Number.NaN, Infinity])('refuses %d seconds as a timeout', (timeoutSeconds) => {
    expect(faults(plan({ timeoutSeconds, steps: [step({ timeoutSeconds })] }))).toEqual([
      '/timeoutSeconds invalid_timeout',
      '/steps/0/timeoutSeconds invalid_timeout',
    ]);
  });

  it('validates the selectors of the plan and its steps', () => {
    expect(faults(plan({ targets: 'role=', steps: [step({ targets: 'a b' })] }))).toEqual([
      '/steps/0/targets invalid_selector',
    ]);
    expect(faults(plan({ targets: 'role in web' }))).toEqual(['/targets invalid_selector']);
  });

  it('validates the declared variables', () => {
    const variables: PlanContent['variables'] = [
      { name: 'service', type: 'choice' },
      { name: 'PATH', type: 'string' },
    ];
    expect(faults(plan({ variables }))).toEqual([
      '/variables/0/choices missing_choices',
      '/variables/1/name invalid_name',
    ]);
  });

  it('has 1 to 100 steps', () => {
    const steps = Array.from({ length: 101 }, (_, i) => step({ key: `s${i}` }));
    expect(faults(plan({ steps: [] }))).toEqual(['/steps required']);
    expect(faults(plan({ steps }))).toEqual(['/steps too_many']);
    expect(faults(plan({ steps: steps.slice(1) }))).toEqual([]);
  });

  it('reports the first twenty problems, each with advice', () => {
    const steps = Array.from({ length: 100 }, () => step({ key: '', name: '', timeoutSeconds: 0 }));
    const problems = checkPlanContent(plan({ steps }));
    expect(problems).toHaveLength(20);
    for (const problem of problems) expect(problem.message).toMatch(/^[A-Z].{20,}\.$/);
  });
});
