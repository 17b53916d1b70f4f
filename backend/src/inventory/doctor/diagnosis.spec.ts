import { describe, expect, it } from '@jest/globals';
import { Diagnosis, DIAGNOSIS_STEPS, toFailedVerdict, toOkVerdict, toWarningVerdict } from './diagnosis.js';

const diagnosisAt = (...times: number[]) => new Diagnosis(() => times.shift() ?? 0);

describe('a diagnosis', () => {
  it('measures each step from the end of the previous one', () => {
    const diagnosis = diagnosisAt(100, 103.4, 110);
    diagnosis.concludeStep(toOkVerdict('found'));
    diagnosis.concludeStep(toWarningVerdict('slow', 'wait'));
    expect(diagnosis.steps().slice(0, 2)).toEqual([
      { name: 'resolve', status: 'ok', durationMs: 3, message: 'found', advice: null },
      { name: 'tcp', status: 'warning', durationMs: 7, message: 'slow', advice: 'wait' },
    ]);
    expect(diagnosis.current).toBe('banner');
  });

  it('skips everything after the first failed step', () => {
    const diagnosis = diagnosisAt(0, 1, 2);
    diagnosis.concludeStep(toOkVerdict('found'));
    diagnosis.concludeStep(toFailedVerdict('closed', 'open it'));
    expect(diagnosis.current).toBeNull();
    diagnosis.concludeStep(toOkVerdict('too late'));
    expect(diagnosis.steps().map(({ status }) => status)).toEqual([
      'ok',
      'failed',
      ...Array<string>(6).fill('skipped'),
    ]);
  });

  it('reports all steps, whether they were tested or not', () => {
    expect(
      diagnosisAt()
        .steps()
        .map(({ name }) => name),
    ).toEqual(DIAGNOSIS_STEPS);
  });
});
