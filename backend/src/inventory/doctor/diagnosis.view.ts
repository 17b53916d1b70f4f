import { ApiProperty } from '@nestjs/swagger';
import {
  DIAGNOSIS_STATES,
  DIAGNOSIS_STEPS,
  type DiagnosedStep,
  type DiagnosisState,
  type DiagnosisStep,
} from './diagnosis.js';

export class DiagnosisStepView {
  @ApiProperty({ enum: DIAGNOSIS_STEPS })
  name: DiagnosisStep;
  /** `warning`: runs work with limitations. `skipped`: an earlier step failed. */
  @ApiProperty({ enum: DIAGNOSIS_STATES })
  state: DiagnosisState;
  /** Duration of the step. */
  milliseconds: number;
  /** Finding. */
  message: string;
  /** What to do about it; null: nothing. */
  advice: string | null;
}

/** Diagnosis of the connection to a server, step by step. */
export class DiagnosisView {
  serverId: string;
  at: string;
  @ApiProperty({ type: [DiagnosisStepView] })
  steps: DiagnosisStepView[];
}

export const toDiagnosisView = (serverId: string, at: string, steps: readonly DiagnosedStep[]): DiagnosisView => ({
  serverId,
  at,
  steps: steps.map(({ name, state, milliseconds, message, advice }) => ({
    name,
    state,
    milliseconds,
    message,
    advice,
  })),
});
