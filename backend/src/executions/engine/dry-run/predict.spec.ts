import { describe, expect, it } from '@jest/globals';
import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { type PlanStep, STEP_DEFAULTS } from '../../../plans/steps/types/step-types.js';
import { keyMissingOutcome, unknownHostKeyOutcome } from '../progress/host-outcome.js';
import type { HostProbe } from './host-probe.js';
import { toLostCheckPrediction, type ProbeFinding, predictStep, predictByCheck, predictSkip } from './predict.js';
import type { RenderForecast } from '../../steps/types/prediction.js';

const command = (fields: Partial<CommandStep> = {}): CommandStep => ({
  ...STEP_DEFAULTS.command,
  key: 'build',
  name: 'Build',
  command: 'make',
  ...fields,
});
const forecast = (fields: Partial<RenderForecast> = {}): RenderForecast => ({
  condition: true,
  triggered: true,
  command: 'rendered',
  check: 'rendered',
  afterChanges: false,
  ...fields,
});
const answered = (fields: Partial<HostProbe> = {}): ProbeFinding => ({
  kind: 'answered',
  probe: { loginUser: 'deploy', rights: new Map(), folders: new Map(), programs: new Map(), ...fields },
});
const verdictOf = (step: PlanStep, known: Partial<RenderForecast> = {}, finding = answered(), isProtected = false) =>
  predictStep(step, forecast(known), finding, isProtected);

const refused = answered({ rights: new Map([['root', 'sudo: a password is required']]) });
const missing = answered({ folders: new Map([['\0/srv/app', false]]) });

describe('a step that is skipped whatever the host answers', () => {
  it('is WOULD_SKIP where its condition is false, and names the condition', () => {
    expect(predictSkip(command({ when: 'host.tags.role == "web"' }), forecast({ condition: false }))).toMatchObject({
      verdict: 'WOULD_SKIP',
      status: 'SKIPPED',
      code: 'when_false',
      reason: 'The condition is false on this host: host.tags.role == "web"',
      changed: false,
      needsCheck: false,
    });
  });

  it('is WOULD_SKIP where no step that notifies it would change the host', () => {
    expect(predictSkip(command({ onlyIfChanged: ['a', 'b'] }), forecast({ triggered: false }))).toMatchObject({
      verdict: 'WOULD_SKIP',
      status: 'SKIPPED',
      code: 'not_triggered',
      reason: '"a", "b" would change nothing here.',
    });
  });

  it.each([forecast(), forecast({ condition: 'needs_results' }), forecast({ triggered: 'unknown' })])(
    'is not assumed when the host has to be probed: %j',
    (known) => {
      expect(predictSkip(command(), known)).toBeNull();
    },
  );
});

describe('a step that cannot begin', () => {
  it('is BLOCKED on a host that cannot be connected to, with the status and reason of the connection', () => {
    expect(verdictOf(command(), {}, { kind: 'blocked', outcome: keyMissingOutcome() })).toMatchObject({
      verdict: 'BLOCKED',
      status: 'UNREACHABLE',
      code: 'ssh_key_missing',
      reason: keyMissingOutcome().message,
    });
    expect(verdictOf(command(), {}, { kind: 'blocked', outcome: unknownHostKeyOutcome('web-1') })).toMatchObject({
      verdict: 'BLOCKED',
      status: 'HOST_KEY_UNKNOWN',
      code: 'host_key_unknown',
    });
  });

  it("is BLOCKED without the right to sudo, with sudo's message and advice", () => {
    expect(verdictOf(command({ become: 'root' }), {}, refused)).toMatchObject({
      verdict: 'BLOCKED',
      status: 'FAILED',
      code: 'no_sudo_right',
      reason:
        'deploy may not run commands as root on this host. sudo says: "sudo: a password is required". Allow deploy to run /bin/sh as root with sudo without a password.',
    });
  });

  it('is BLOCKED without its working directory, and not predicted where an earlier step may create it', () => {
    const step = command({ workingDirectory: '/srv/app' });
    const words = 'The working directory /srv/app does not exist on this host, or deploy may not enter it.';
    const blocked = verdictOf(step, {}, missing);
    expect(blocked).toMatchObject({ verdict: 'BLOCKED', status: 'FAILED', code: 'working_directory_missing' });
    expect(blocked.reason).toBe(`${words} Create it, or choose another one.`);
    expect(verdictOf(step, { afterChanges: true }, missing).reason).toBe(
      `${words} Create it, or choose another one. An earlier step of the run may still create it; a dry run cannot know.`,
    );
    expect(verdictOf(step, { afterChanges: true }, missing).verdict).toBe('CANNOT_PREDICT');
  });

  it.each([
    [{ command: { fault: 'no such tag' } }, 'cannot_render', 'no such tag'],
    [{ condition: { fault: 'no such fact' } }, 'cannot_render', 'no such fact'],
    [{ check: { fault: 'no such tag' } }, 'check_not_rendered', 'The check cannot be rendered: no such tag'],
  ])('is BLOCKED when one of its texts cannot be rendered: %j', (known, code, reason) => {
    expect(verdictOf(command({ check: 'x' }), known)).toMatchObject({
      verdict: 'BLOCKED',
      status: 'FAILED',
      code,
      reason,
    });
  });

  it('is BLOCKED rather than undecided, because the blocker is known', () => {
    expect(verdictOf(command({ become: 'root' }), { condition: 'needs_results' }, refused).verdict).toBe('BLOCKED');
    expect(verdictOf(command({ become: 'root', unless: 'x' }), { triggered: 'unknown' }, refused).verdict).toBe(
      'BLOCKED',
    );
  });
});

describe('a step that depends on facts of a real run', () => {
  it.each<[string, Partial<CommandStep>, Partial<RenderForecast>, boolean]>([
    ['when_undecided', { when: 'steps.a.changed' }, { condition: 'needs_results' }, false],
    ['trigger_unknown', { onlyIfChanged: ['a'] }, { triggered: 'unknown' }, false],
    ['needs_results', {}, { command: 'needs_results' }, false],
    ['needs_results', { check: 'x' }, { check: 'needs_results' }, false],
    ['unless_undecided', { unless: 'test -e /x' }, {}, false],
    ['unless_undecided', { unless: 'test -e /x', check: 'x' }, {}, false],
    ['check_needs_approval', { check: 'x' }, {}, true],
  ])('is CANNOT_PREDICT with the code %s: %j %j', (code, fields, known, isProtected) => {
    const prediction = verdictOf(command(fields), known, answered(), isProtected);
    expect(prediction).toMatchObject({ verdict: 'CANNOT_PREDICT', status: 'SUCCEEDED', code, needsCheck: false });
    expect(prediction.reason).not.toBe('');
  });
});

describe('a command that would run', () => {
  it('is WOULD_RUN without a check, and says that its changes are not predicted', () => {
    expect(verdictOf(command())).toMatchObject({
      verdict: 'WOULD_RUN',
      status: 'SUCCEEDED',
      code: 'no_check',
      changed: null,
    });
    expect(verdictOf(command()).reason).toContain('Its changes are not predicted');
  });

  it('is WOULD_RUN when it is read-only, even with a check: nothing has to be probed', () => {
    for (const check of [null, 'x'])
      expect(verdictOf(command({ readOnly: true, check }), {}, answered(), true)).toMatchObject({
        verdict: 'WOULD_RUN',
        code: 'read_only',
        changed: false,
        needsCheck: false,
      });
  });

  it('needs its check where the environment is not protected', () => {
    expect(verdictOf(command({ check: 'x' })).needsCheck).toBe(true);
    expect(verdictOf(command({ check: 'x' }), {}, answered(), true).needsCheck).toBe(false);
  });

  it('does not block the probe results of other steps', () => {
    const both = answered({ rights: new Map([['root', 'no']]), folders: new Map([['\0/other', false]]) });
    expect(verdictOf(command({ workingDirectory: '/srv' }), {}, both).verdict).toBe('WOULD_RUN');
  });
});

describe('a step that runs no command', () => {
  it('is WOULD_RUN and names what it waits for', () => {
    const wait = { ...STEP_DEFAULTS.wait, key: 'up', name: 'Up', timeoutSeconds: 30 };
    expect(verdictOf({ ...wait, port: 8080 })).toMatchObject({
      verdict: 'WOULD_RUN',
      code: 'waits',
      reason: 'Waits until port 8080 answers on the host, for at most 30 s.',
      changed: false,
    });
    expect(verdictOf({ ...wait, url: 'http://localhost/' }).reason).toContain('http://localhost/ answers');
    const gate = { ...STEP_DEFAULTS.gate, key: 'ok', name: 'Ok', message: 'Is it night?' };
    expect(verdictOf(gate)).toMatchObject({ verdict: 'WOULD_RUN', reason: 'Waits for a person: Is it night?' });
  });
});

describe('a check', () => {
  const step = command({ check: 'x', timeoutSeconds: 7 });

  it('is NO_CHANGE with exit code 0 and WOULD_CHANGE with 1', () => {
    expect(predictByCheck(step, { kind: 'exited', exitCode: 0 })).toMatchObject({
      verdict: 'NO_CHANGE',
      status: 'SUCCEEDED',
      changed: false,
      exitCode: 0,
    });
    expect(predictByCheck(step, { kind: 'exited', exitCode: 1 })).toMatchObject({
      verdict: 'WOULD_CHANGE',
      status: 'SUCCEEDED',
      changed: null,
      exitCode: 1,
    });
  });

  it.each([2, 126, 127, 255])('has no verdict with exit code %i, which is shown', (exitCode) => {
    const prediction = predictByCheck(step, { kind: 'exited', exitCode });
    expect(prediction).toMatchObject({
      verdict: 'CANNOT_PREDICT',
      status: 'SUCCEEDED',
      code: 'check_failed',
      exitCode,
    });
    expect(prediction.reason).toContain(`exit code ${exitCode}`);
  });

  it.each([
    [{ kind: 'signalled' as const, signal: 'SIGKILL' }, 'check_failed', 'signal SIGKILL'],
    [
      { kind: 'timed_out' as const, ended: true },
      'check_timed_out',
      "longer than the step's limit of 7 s. It was stopped.",
    ],
    [{ kind: 'timed_out' as const, ended: false }, 'check_timed_out', 'Inspect the host'],
    [
      { kind: 'lost' as const, message: 'The cable is out.' },
      'check_lost',
      'The cable is out. A dry run does not start',
    ],
    [{ kind: 'refused' as const, message: 'No shell.' }, 'check_refused', 'No shell.'],
  ])('has no verdict when it did not exit: %j', (end, code, words) => {
    const prediction = predictByCheck(step, end);
    expect(prediction).toMatchObject({ verdict: 'CANNOT_PREDICT', status: 'SUCCEEDED', code, needsCheck: false });
    expect(prediction.reason).toContain(words);
  });

  it('is not repeated when another worker began it', () => {
    expect(toLostCheckPrediction()).toMatchObject({ verdict: 'CANNOT_PREDICT', code: 'check_lost', needsCheck: false });
  });
});
