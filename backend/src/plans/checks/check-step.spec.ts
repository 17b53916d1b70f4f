import { describe, expect, it } from '@jest/globals';
import { checkPlanContent } from './check-plan-content.js';
import type { CommandStep } from '../steps/types/command.step.js';
import { EMPTY_PLAN, type PlanContent } from '../steps/plan-content.js';
import type { GateStep } from '../steps/types/gate.step.js';
import { type PlanStep, STEP_DEFAULTS } from '../steps/types/step-types.js';
import type { WaitStep } from '../steps/types/wait.step.js';

const command = (change: Partial<CommandStep> = {}): CommandStep => ({
  ...STEP_DEFAULTS.command,
  okExitCodes: [0],
  key: 'run',
  name: 'Run',
  command: 'true',
  ...change,
});
const wait = (change: Partial<WaitStep> = {}): WaitStep => ({
  ...STEP_DEFAULTS.wait,
  key: 'up',
  name: 'Up',
  port: 443,
  ...change,
});
const gate = (change: Partial<GateStep> = {}): GateStep => ({
  ...STEP_DEFAULTS.gate,
  key: 'ask',
  name: 'Ask',
  message: 'Go on?',
  ...change,
});
const plan = (steps: PlanStep[], change: Partial<PlanContent> = {}): PlanContent => ({
  ...EMPTY_PLAN,
  variables: [
    { name: 'release', type: 'string' },
    { name: 'TOKEN', type: 'secret' },
  ],
  steps,
  ...change,
});
const problems = (steps: PlanStep[], change: Partial<PlanContent> = {}) => checkPlanContent(plan(steps, change));
const faults = (steps: PlanStep[], change: Partial<PlanContent> = {}) =>
  problems(steps, change).map(({ path, code }) => `${path} ${code}`);

const build = command({ key: 'build', outputs: ['version'] });

describe('step', () => {
  it('may use all fields of its type', () => {
    const whole = command({
      targets: 'role=web',
      when: 'steps.build.outputs.version == release and host.tags.role == "web"',
      retries: { count: 20, delaySeconds: 3600, backoff: 'exponential' },
      batch: '25%',
      maxFailPercent: 100,
      onFailure: 'continue',
      always: true,
      confirm: true,
      onlyIfChanged: ['build'],
      command: 'deploy {{ steps.build.outputs.version }} {{ host.name }} {{ TOKEN }}',
      become: 'app_user-1',
      workingDirectory: '/srv/my app',
      environment: { LANG: 'C', EMPTY: '' },
      okExitCodes: [0, 255],
      changedExitCodes: [3],
      unless: 'test -e {{ release }}',
      check: 'diff a {{ host.tags.role }}',
      readOnly: false,
      idempotent: true,
      outputs: ['a', '_B1'],
    });
    const url = 'https://localhost:8443/health?a=b';
    expect(
      problems([build, whole, wait({ batch: '1' }), wait({ key: 'url', port: null, url }), gate({ runOnce: true })]),
    ).toEqual([]);
  });

  it('has its path in each of its problems', () => {
    const [inCommand] = problems([command({ command: 'echo {{ relaese }}' })]);
    expect(inCommand).toMatchObject({ path: '/steps/0/command', code: 'unknown_variable' });
    expect(inCommand?.message).toMatch(
      /^Step "run": Line 1: the plan has no variable "relaese"\. Did you mean "release"\?/,
    );
    expect(problems([command({ key: '' })])[0]?.message).toMatch(/^Step 1: /);
  });

  it.each<[Partial<CommandStep>, string]>([
    [{ retries: { count: 0, delaySeconds: 0, backoff: 'constant' } }, 'retries/count out_of_range'],
    [{ retries: { count: 21, delaySeconds: 0, backoff: 'constant' } }, 'retries/count out_of_range'],
    [{ retries: { count: 1, delaySeconds: -1, backoff: 'constant' } }, 'retries/delaySeconds out_of_range'],
    [{ retries: { count: 1, delaySeconds: 3601, backoff: 'constant' } }, 'retries/delaySeconds out_of_range'],
    [{ batch: '0' }, 'batch invalid_batch'],
    [{ batch: '0%' }, 'batch invalid_batch'],
    [{ batch: '101%' }, 'batch invalid_batch'],
    [{ batch: '-1' }, 'batch invalid_batch'],
    [{ batch: '2.5%' }, 'batch invalid_batch'],
    [{ batch: '1e3' }, 'batch invalid_batch'],
    [{ batch: 'all' }, 'batch invalid_batch'],
    [{ batch: '5', runOnce: true }, 'batch conflicting_fields'],
    [{ maxFailPercent: -1 }, 'maxFailPercent out_of_range'],
    [{ maxFailPercent: 101 }, 'maxFailPercent out_of_range'],
    [{ when: '' }, 'when invalid_condition'],
    [{ when: 'nope' }, 'when unknown_variable'],
    [{ when: 'TOKEN == "x"' }, 'when secret_in_expression'],
    [{ when: 'steps.run.changed' }, 'when unknown_step'],
    [{ when: 'steps.later.changed' }, 'when unknown_step'],
    [{ when: 'steps.build.outputs.sion' }, 'when unknown_output'],
    [{ unless: ' ' }, 'unless required'],
    [{ unless: 'ls {{ nope }}' }, 'unless unknown_variable'],
    [{ unless: 'ls {{ steps.later.outputs.a }}' }, 'unless unknown_step'],
    [{ check: '' }, 'check required'],
    [{ check: 'echo "{{ release }}"' }, 'check unsafe_place'],
    [{ command: 'x'.repeat(65_537) }, 'command too_long'],
    [{ command: 'echo {{ steps.run.outputs.a }}' }, 'command unknown_step'],
    [{ command: 'echo {{ steps.build.outputs.other }}' }, 'command unknown_output'],
    [{ become: '' }, 'become invalid_user'],
    [{ become: 'Root' }, 'become invalid_user'],
    [{ become: '-u' }, 'become invalid_user'],
    [{ become: 'root\n' }, 'become invalid_user'],
    [{ become: 'a'.repeat(33) }, 'become invalid_user'],
    [{ workingDirectory: '' }, 'workingDirectory invalid_path'],
    [{ workingDirectory: 'srv' }, 'workingDirectory invalid_path'],
    [{ workingDirectory: '/srv\n' }, 'workingDirectory invalid_path'],
    [{ environment: { PATH: '/bin' } }, 'environment/PATH invalid_name'],
    [{ environment: { 'a/b': '' } }, 'environment/a~1b invalid_name'],
    [{ environment: { RUNWARD_OUTPUT: '' } }, 'environment/RUNWARD_OUTPUT invalid_name'],
    [{ environment: { TOKEN: '' } }, 'environment/TOKEN duplicate_name'],
    [{ environment: { A: 'x'.repeat(32_769) } }, 'environment/A invalid_text'],
    [{ okExitCodes: [] }, 'okExitCodes required'],
    [{ okExitCodes: [0, 256] }, 'okExitCodes/1 invalid_exit_code'],
    [{ changedExitCodes: [-1] }, 'changedExitCodes/0 invalid_exit_code'],
    [{ outputs: ['a-b'] }, 'outputs/0 invalid_name'],
    [{ outputs: ['__proto__'] }, 'outputs/0 invalid_name'],
    [{ outputs: ['a', 'a'] }, 'outputs/1 duplicate_name'],
    [{ onlyIfChanged: ['bulid'] }, 'onlyIfChanged/0 unknown_step'],
    [{ onlyIfChanged: ['run'] }, 'onlyIfChanged/0 circular_handler'],
    [{ onlyIfChanged: ['build', 'later'] }, 'onlyIfChanged/1 circular_handler'],
    [{ onlyIfChanged: ['build', 'build'] }, 'onlyIfChanged/1 duplicate_key'],
    [{ onlyIfChanged: ['ask'] }, 'onlyIfChanged/0 never_changes'],
    [{ onlyIfChanged: ['up'] }, 'onlyIfChanged/0 never_changes'],
    [{ onlyIfChanged: ['look'] }, 'onlyIfChanged/0 never_changes'],
  ])('is refused with %j (%s)', (change, fault) => {
    const steps = [
      build,
      gate(),
      wait(),
      command({ key: 'look', readOnly: true }),
      command(change),
      command({ key: 'later' }),
    ];
    expect(faults(steps)).toEqual([`/steps/4/${fault}`]);
    expect(problems(steps)[0]?.message).toMatch(/^Step "run": .{20,}[.?}]$/s);
  });

  it.each<[Partial<WaitStep>, string]>([
    [{ port: null }, 'port required'],
    [{ url: 'http://a' }, 'url conflicting_fields'],
    [{ port: 0 }, 'port out_of_range'],
    [{ port: 65_536 }, 'port out_of_range'],
    [{ port: null, url: '' }, 'url invalid_url'],
    [{ port: null, url: 'localhost:80' }, 'url invalid_url'],
    [{ port: null, url: 'file:///etc/passwd' }, 'url invalid_url'],
    [{ port: null, url: 'http://a b' }, 'url invalid_url'],
    [{ port: null, url: 'https://me:secret@host/' }, 'url invalid_url'],
    [{ port: null, url: 'https://me@host/' }, 'url invalid_url'],
    [{ when: 'nope' }, 'when unknown_variable'],
  ])('of type wait is refused with %j (%s)', (change, fault) => {
    expect(faults([wait(change)])).toEqual([`/steps/0/${fault}`]);
  });

  it.each(['', ' \n', 'x'.repeat(2001)])('of type gate is refused with the message %j', (message) => {
    expect(faults([gate({ message })])).toEqual(['/steps/0/message required']);
  });
});

describe('step targets', () => {
  it.each([
    ['role=web', 'role=db'],
    ['legacy', '!legacy'],
    ['name=web-1', 'name=web-2'],
    ['', 'role=web,role=db'],
  ])('of the plan (%j) and a step (%j) that no server can match are refused', (targets, own) => {
    expect(faults([command({ targets: own })], { targets })).toEqual(['/steps/0/targets unreachable_selector']);
  });

  it('of the plan that match no server are reported once', () => {
    expect(faults([command({ targets: 'role=web' }), command({ key: 'b' })], { targets: 'role=a,role=b' })).toEqual([
      '/targets unreachable_selector',
    ]);
  });

  it('may narrow the targets of the plan', () => {
    expect(faults([command({ targets: 'role=web' })], { targets: 'role in (web, db),region=eu' })).toEqual([]);
  });
});

describe('limits of a plan', () => {
  it.each<[Partial<PlanContent>, string]>([
    [{ maxFailPercent: 101 }, '/maxFailPercent out_of_range'],
    [{ locks: ['-a'] }, '/locks/0 invalid_name'],
    [{ locks: ['a', 'a b'] }, '/locks/1 invalid_name'],
    [{ locks: ['a'.repeat(64)] }, '/locks/0 invalid_name'],
    [{ locks: ['a', 'a'] }, '/locks/1 duplicate_name'],
    [{ locks: Array.from({ length: 21 }, (_, i) => `l${i}`) }, '/locks too_many'],
    [{ allowedModes: ['auto', 'turbo'] }, '/allowedModes/1 not_allowed_value'],
  ])('are enforced: %j', (change, fault) => {
    expect(faults([command()], change)).toEqual([fault]);
  });

  it('allow values up to the limit', () => {
    const change: Partial<PlanContent> = {
      maxFailPercent: 30,
      locks: ['db.migrate-1', 'A'],
      allowedModes: ['dry_run'],
    };
    expect(faults([command()], change)).toEqual([]);
  });
});
