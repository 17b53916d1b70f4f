export const DIAGNOSIS_STEPS = ['resolve', 'tcp', 'banner', 'host_key', 'login', 'shell', 'journal', 'sudo'] as const;
export type DiagnosisStep = (typeof DIAGNOSIS_STEPS)[number];

/** `warning`: runs work with limitations. `skipped`: an earlier step failed. */
export const DIAGNOSIS_STATUSES = ['ok', 'warning', 'failed', 'skipped'] as const;
export type DiagnosisStatus = (typeof DIAGNOSIS_STATUSES)[number];

/** Result of one step. `advice`: what to do about it; null: nothing. */
export interface DiagnosisVerdict {
  status: Exclude<DiagnosisStatus, 'skipped'>;
  message: string;
  advice: string | null;
}

export interface DiagnosedStep {
  name: DiagnosisStep;
  status: DiagnosisStatus;
  durationMs: number;
  message: string;
  advice: string | null;
}

export const toOkVerdict = (message: string): DiagnosisVerdict => ({ status: 'ok', message, advice: null });
export const toWarningVerdict = (message: string, advice: string): DiagnosisVerdict => ({
  status: 'warning',
  message,
  advice,
});
export const toFailedVerdict = (message: string, advice: string): DiagnosisVerdict => ({
  status: 'failed',
  message,
  advice,
});

export class Diagnosis {
  private readonly taken: DiagnosedStep[] = [];
  private since: number;

  /** @param clock in ms, with an arbitrary origin */
  constructor(private readonly clock: () => number) {
    this.since = clock();
  }

  /** Null: all steps are done, or one failed. */
  get current(): DiagnosisStep | null {
    if (this.taken.at(-1)?.status === 'failed') return null;
    return DIAGNOSIS_STEPS[this.taken.length] ?? null;
  }

  concludeStep(verdict: DiagnosisVerdict): void {
    const name = this.current;
    if (name === null) return;
    const now = this.clock();
    this.taken.push({ name, durationMs: Math.max(0, Math.round(now - this.since)), ...verdict });
    this.since = now;
  }

  /** Steps without a verdict were skipped. */
  steps(): DiagnosedStep[] {
    const rest = DIAGNOSIS_STEPS.slice(this.taken.length).map((name) => ({
      name,
      status: 'skipped' as const,
      durationMs: 0,
      message: 'Not tested: an earlier step failed.',
      advice: null,
    }));
    return [...this.taken, ...rest];
  }
}
