import type { DiagnosisStep, DiagnosisStepName } from '../../../api/types';

const STEP_LABELS: Record<DiagnosisStepName, string> = {
  resolve: 'DNS name',
  tcp: 'TCP connection',
  banner: 'SSH server',
  host_key: 'Host key',
  login: 'Login',
  shell: 'Shell',
  journal: 'Journal',
  sudo: 'sudo',
};

/** Returns the label of a step; the step's name if unknown. */
export const stepLabel = (name: DiagnosisStepName): string => STEP_LABELS[name] ?? name;

export function verdictOf(steps: readonly DiagnosisStep[]): { tone: 'good' | 'warn' | 'bad'; text: string } {
  const failed = steps.find(({ status }) => status === 'failed');
  if (failed) return { tone: 'bad', text: `Failed at: ${stepLabel(failed.name)}` };
  const warnings = steps.filter(({ status }) => status === 'warning');
  if (warnings.length === 0) return { tone: 'good', text: 'No problems: runs can use this server.' };
  return {
    tone: 'warn',
    text: `Runs work, with limits: ${warnings.map(({ name }) => stepLabel(name)).join(', ')}`,
  };
}
