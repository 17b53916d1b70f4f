import type { DiagnosisStep } from '../../../api/types';

/** What each step of the way is called. */
const LABELS: Record<DiagnosisStep['name'], string> = {
  resolve: 'Name',
  tcp: 'TCP connection',
  banner: 'SSH server',
  host_key: 'Host key',
  login: 'Login',
  shell: 'Shell',
  journal: 'Journal',
  sudo: 'sudo',
};

/** The name itself, should the server know a step that this page does not. */
export const stepLabel = (name: DiagnosisStep['name']): string => LABELS[name] ?? name;

/** What a diagnosis says as a whole. */
export function verdictOf(steps: readonly DiagnosisStep[]): { tone: 'good' | 'warn' | 'bad'; text: string } {
  const failed = steps.find(({ state }) => state === 'failed');
  if (failed) return { tone: 'bad', text: `Stops at: ${stepLabel(failed.name)}` };
  const warnings = steps.filter(({ state }) => state === 'warning');
  if (warnings.length === 0) return { tone: 'good', text: 'Nothing is wrong: runs can work on this server.' };
  return {
    tone: 'warn',
    text: `Runs work, with limits: ${warnings.map(({ name }) => stepLabel(name)).join(', ')}`,
  };
}
