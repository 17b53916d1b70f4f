import { ApiProperty } from '@nestjs/swagger';
import {
  DIAGNOSIS_STATUSES,
  DIAGNOSIS_STEPS,
  type DiagnosedStep,
  type DiagnosisStatus,
  type DiagnosisStep,
} from './diagnosis.js';

export class DiagnosisStepView {
  /** Part of the connection that the step tests, in the order of a login. */
  @ApiProperty({ enum: DIAGNOSIS_STEPS })
  name: DiagnosisStep;
  /** `warning`: runs work with limitations. `skipped`: an earlier step failed. */
  @ApiProperty({ enum: DIAGNOSIS_STATUSES })
  status: DiagnosisStatus;
  /** Duration of the step, in ms. */
  durationMs: number;
  /** Finding. */
  message: string;
  /** What to do about it; null: nothing. */
  advice: string | null;
}

/** Diagnosis of the connection to a server, step by step. */
export class DiagnosisView {
  serverId: string;
  /** Start of the diagnosis, in UTC. */
  at: string;
  /** Tests from name resolution to the first command, in order. */
  @ApiProperty({ type: [DiagnosisStepView] })
  steps: DiagnosisStepView[];
}

export const toDiagnosisView = (serverId: string, at: string, steps: readonly DiagnosedStep[]): DiagnosisView => ({
  serverId,
  at,
  steps: steps.map(({ name, status, durationMs, message, advice }) => ({
    name,
    status,
    durationMs,
    message,
    advice,
  })),
});
