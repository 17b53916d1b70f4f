import { describe, expect, it } from 'vitest';
import type { Plan, Schedule } from '../../../api/types';
import { formOf, keptSecrets, newSchedule, toRequest } from './schedule-form';

const plan = {
  id: 'p1',
  variables: [
    { name: 'TAG', type: 'string', required: false },
    { name: 'PASS', type: 'secret', required: true },
  ],
} as Plan;
const schedule = {
  ...{ id: 's1', name: 'Nightly', planId: 'p1', environmentId: 'e1', execution_mode: 'auto', targets: 'role=web' },
  ...{ note: null, labels: { kind: 'nightly' }, cron: null, everySeconds: 7200, timeZone: 'UTC', jitterSeconds: 30 },
  ...{ onOverlap: 'queue', onMissed: 'once', variables: { TAG: 'v2', PASS: '‹secret PASS›' } },
} as unknown as Schedule;

describe('the form of a schedule', () => {
  it('sends what was typed, by one way of time', () => {
    const form = { ...newSchedule('p1', 'Europe/Berlin'), name: ' Nightly ', environmentId: 'e1' };
    expect(toRequest(form, [], [])).toEqual({
      ...{ name: 'Nightly', planId: 'p1', environmentId: 'e1', execution_mode: 'auto', variables: {}, targets: '' },
      ...{ note: '', labels: {}, jitterSeconds: 0, onOverlap: 'skip', onMissed: 'skip' },
      ...{ cron: '0 2 * * *', timeZone: 'Europe/Berlin' },
    });
  });

  it('begins with what is stored, but never with a secret or its mask', () => {
    const form = formOf(schedule, plan);
    expect(form).toMatchObject({ kind: 'interval', every: 2, unit: '3600', labels: ['kind=nightly'] });
    expect(form.variables).toEqual({ TAG: 'v2', PASS: '' });
  });

  it('keeps a secret by its mask unless another is typed', () => {
    const form = formOf(schedule, plan);
    const kept = keptSecrets(schedule, form);
    expect(toRequest(form, ['TAG', 'PASS'], kept).variables).toEqual({ TAG: 'v2', PASS: '‹secret PASS›' });
    const typed = { ...form, variables: { TAG: '', PASS: 'new' } };
    expect(toRequest(typed, ['TAG', 'PASS'], kept).variables).toEqual({ PASS: 'new' });
  });

  it('keeps none for another plan or environment', () => {
    const form = formOf(schedule, plan);
    expect(keptSecrets(schedule, { ...form, environmentId: 'e2' })).toEqual([]);
    expect(keptSecrets(schedule, { ...form, planId: 'p2' })).toEqual([]);
    expect(keptSecrets(null, form)).toEqual([]);
  });
});
