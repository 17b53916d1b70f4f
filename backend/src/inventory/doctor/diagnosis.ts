/** What is looked at on the way to a server, in this order. */
export const DIAGNOSIS_STEPS = ['resolve', 'tcp', 'banner', 'host_key', 'login', 'shell', 'journal', 'sudo'] as const;
export type DiagnosisStep = (typeof DIAGNOSIS_STEPS)[number];

/** `warning`: runs work, but not all that they can do. `skipped`: something before it failed. */
export const DIAGNOSIS_STATES = ['ok', 'warning', 'failed', 'skipped'] as const;
export type DiagnosisState = (typeof DIAGNOSIS_STATES)[number];

/** What one step showed. `advice`: what to do about it; null: nothing. */
export interface Verdict {
  state: Exclude<DiagnosisState, 'skipped'>;
  message: string;
  advice: string | null;
}

export interface DiagnosedStep {
  name: DiagnosisStep;
  state: DiagnosisState;
  milliseconds: number;
  message: string;
  advice: string | null;
}

export const ok = (message: string): Verdict => ({ state: 'ok', message, advice: null });
export const warning = (message: string, advice: string): Verdict => ({ state: 'warning', message, advice });
export const failed = (message: string, advice: string): Verdict => ({ state: 'failed', message, advice });

/** Takes the verdicts as they come, step by step, each with the time since the one before. */
export class Diagnosis {
  private readonly taken: DiagnosedStep[] = [];
  private since: number;

  /** @param clock in ms; its beginning means nothing */
  constructor(private readonly clock: () => number) {
    this.since = clock();
  }

  /** The step that is under way; null: none any more, because all are through or one failed. */
  get current(): DiagnosisStep | null {
    if (this.taken.at(-1)?.state === 'failed') return null;
    return DIAGNOSIS_STEPS[this.taken.length] ?? null;
  }

  /** Ends the step that is under way. */
  conclude(verdict: Verdict): void {
    const name = this.current;
    if (name === null) return;
    const now = this.clock();
    this.taken.push({ name, milliseconds: Math.max(0, Math.round(now - this.since)), ...verdict });
    this.since = now;
  }

  /** All steps. Those that nothing was found out about were skipped. */
  steps(): DiagnosedStep[] {
    const rest = DIAGNOSIS_STEPS.slice(this.taken.length).map((name) => ({
      name,
      state: 'skipped' as const,
      milliseconds: 0,
      message: 'Not looked at: an earlier step failed.',
      advice: null,
    }));
    return [...this.taken, ...rest];
  }
}
