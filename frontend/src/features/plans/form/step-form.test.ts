import { describe, expect, it } from 'vitest';
import type { PlanStep } from '../../../api/types';
import { copyOfStep, emptyStep, type StepRow, stepRow, toStep } from './step-form';

const command: PlanStep = {
  key: 'build',
  name: 'Build',
  type: 'command',
  command: 'make',
  targets: '',
  runOnce: false,
  batch: null,
  when: null,
  onlyIfChanged: [],
  forEach: null,
  confirm: false,
  timeoutSeconds: 300,
  retries: null,
  maxFailPercent: null,
  onFailure: null,
  always: false,
};
const row = (change: Partial<StepRow> = {}): StepRow => ({ ...stepRow(command), ...change });

describe('a step in the editor', () => {
  it('is sent with nothing but its key, its text and its limit when nothing else is set', () => {
    expect(toStep(row())).toEqual({
      key: 'build',
      name: 'Build',
      type: 'command',
      command: 'make',
      targets: '',
      timeoutSeconds: 300,
    });
  });

  it('is unchanged after a round trip when everything is set', () => {
    const whole: PlanStep = {
      ...command,
      targets: 'role=web',
      forEach: ['a', 'b'],
      runOnce: true,
      batch: '25%',
      when: 'host.tags.role == "web"',
      onlyIfChanged: ['fetch'],
      unless: 'test -e /done',
      confirm: true,
      retries: { count: 3, delaySeconds: 5, backoff: 'exponential' },
      maxFailPercent: 10,
      onFailure: 'continue',
      always: true,
      become: 'root',
      workingDirectory: '/srv',
      environment: { LANG: 'C' },
      okExitCodes: [0, 2],
      changedExitCodes: [2],
      readOnly: true,
      idempotent: true,
      outputs: ['version'],
      check: 'true',
    };
    expect(toStep(stepRow(whole))).toEqual(whole);
  });

  it('distinguishes 0 % and 0 s from no value', () => {
    expect(toStep(row({ maxFailPercent: 0 }))).toHaveProperty('maxFailPercent', 0);
    expect(toStep(row({ maxFailPercent: '' }))).not.toHaveProperty('maxFailPercent');
    expect(toStep(row({ retries: { count: 2, delaySeconds: '', backoff: 'constant' } }))).toHaveProperty('retries', {
      count: 2,
      delaySeconds: 0,
      backoff: 'constant',
    });
    expect(toStep(row({ retries: { count: '', delaySeconds: 9, backoff: 'constant' } }))).not.toHaveProperty('retries');
  });

  it('leaves out the exit code that means success anyway, and shows it as nothing set', () => {
    expect(stepRow({ ...command, okExitCodes: [0] }).okExitCodes).toEqual([]);
    expect(stepRow({ ...command, okExitCodes: [3] }).okExitCodes).toEqual(['3']);
    expect(stepRow({ ...command, okExitCodes: [0, 3] }).okExitCodes).toEqual(['0', '3']);
  });

  it('sends exit codes as numbers and invalid input unchanged', () => {
    expect(toStep(row({ okExitCodes: ['0', '-1', '1.5', 'two', ''] }))).toHaveProperty('okExitCodes', [
      0,
      -1,
      '1.5',
      'two',
      '',
    ]);
  });

  it('omits blank texts and trims the rest', () => {
    expect(toStep(row({ name: '  ', when: ' \n ', become: ' root ', targets: ' role=web ' }))).toEqual({
      key: 'build',
      type: 'command',
      command: 'make',
      targets: 'role=web',
      become: 'root',
      timeoutSeconds: 300,
    });
  });

  it('keeps a command letter by letter', () => {
    expect(toStep(row({ command: '  echo "a"\n' }))).toHaveProperty('command', '  echo "a"\n');
  });

  it('sends only what its type has, whatever was typed for another type before', () => {
    const typed = row({ port: 22, url: ' http://x ', message: 'Go?', scriptId: 's', path: '/etc/x', become: 'root' });
    const sent = (type: StepRow['type']) => Object.keys(toStep({ ...typed, type })).sort();
    const common = ['key', 'name', 'targets', 'timeoutSeconds', 'type'];
    expect(sent('wait')).toEqual([...common, 'port', 'url'].sort());
    expect(sent('gate')).toEqual([...common, 'message'].sort());
    expect(sent('script')).toEqual([...common, 'arguments', 'become', 'scriptId'].sort());
    expect(sent('template')).toEqual([...common, 'backup', 'become', 'path', 'templateId'].sort());
  });

  it('keeps the placeholder setting of a gate', () => {
    expect(toStep(row({ type: 'gate', message: 'Go?', placeholder: true }))).toMatchObject({ placeholder: true });
    expect(stepRow({ ...command, type: 'gate', placeholder: true }).placeholder).toBe(true);
  });

  it('keeps arguments of a script unchanged, including blank ones', () => {
    expect(toStep(row({ type: 'script', scriptId: 's', arguments: [' a ', '', 'b'] }))).toMatchObject({
      arguments: [' a ', '', 'b'],
    });
  });
});

describe('a new step', () => {
  it('gets a key that no other step has', () => {
    const first = emptyStep([]);
    const second = emptyStep([first]);
    const taken = [first, second, row({ key: 'step-3' })];
    expect([first.key, second.key, emptyStep(taken).key]).toEqual(['step-1', 'step-2', 'step-4']);
  });

  it('as a copy counts on from the name of its original, and has a row of its own', () => {
    const original = row({ key: 'build' });
    const copy = copyOfStep(original, [original]);
    const again = copyOfStep(copy, [original, copy]);
    expect([copy.key, again.key]).toEqual(['build-2', 'build-3']);
    expect(new Set([original.row, copy.row, again.row]).size).toBe(3);
    expect(copy.command).toBe(original.command);
  });
});
