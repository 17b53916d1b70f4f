import { describe, expect, it } from 'vitest';
import type { DiagnosisStep, DiagnosisStepName, DiagnosisStepStatus } from '../../../api/types';
import { stepLabel, verdictOf } from './steps';

const step = (name: DiagnosisStepName, status: DiagnosisStepStatus): DiagnosisStep => ({
  name,
  status,
  durationMs: 1,
  message: '',
  advice: null,
});

describe('a diagnosis as a whole', () => {
  it('names the failed step', () => {
    expect(verdictOf([step('resolve', 'ok'), step('tcp', 'failed'), step('login', 'skipped')])).toEqual({
      tone: 'bad',
      text: 'Failed at: TCP connection',
    });
  });

  it('says what runs have to do without', () => {
    expect(verdictOf([step('login', 'ok'), step('journal', 'warning'), step('sudo', 'warning')])).toEqual({
      tone: 'warn',
      text: 'Runs work, with limits: Journal, sudo',
    });
  });

  it('says that nothing is wrong', () => {
    expect(verdictOf([step('login', 'ok')]).tone).toBe('good');
  });

  it('names a step that it does not know by its own name', () => {
    expect(stepLabel('hop' as DiagnosisStepName)).toBe('hop');
  });
});
