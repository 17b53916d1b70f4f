import { StepPartView } from './execution.view.js';
import { ApiProperty } from '@nestjs/swagger';
import { VALUE_SCHEMA } from '../../common/variables/value-schema.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import { STEP_TYPES, type StepType } from '../../plans/steps/plan-content.js';
import { DifferenceView, RunAuthorView } from '../../common/http/problem.view.js';

export class ReviewHostView {
  serverId: string;
  /** @example "web-1" */
  name: string;
  /** @example "deploy@10.0.0.5:22" */
  address: string;
  @ApiProperty({ type: String, nullable: true })
  hostKeyFingerprint: string | null;
  /** Plain values that its server gives it, which go before `variables` of the run. */
  @ApiProperty({ type: 'object', additionalProperties: VALUE_SCHEMA })
  variables: Record<string, VariableValue>;
  /** Names of the secrets that its server gives it. */
  secretNames: string[];
}

export class ReviewStepView {
  key: string;
  name: string;
  @ApiProperty({ enum: STEP_TYPES })
  type: StepType;
  /**
   * The command as it will run, secrets as names of shell variables; a script under the line that calls it; the file of a
   * template under where it goes, secrets as masks; a gate's message; what a wait waits for. Where hosts have values of their
   * own, the texts that come of them one after another, each under the hosts that it is for; at most 5.
   */
  text: string;
  /** False: `text` is still a template, as it needs what earlier steps or the host will tell. */
  rendered: boolean;
  @ApiProperty({ type: String, nullable: true })
  become: string | null;
  @ApiProperty({ type: String, nullable: true })
  when: string | null;
  /** What it stands in, the outermost first; empty for a step of the run's own plan. */
  path: StepPartView[];
  /** Conditions of the calls that it stands in: it runs where these hold too. */
  outerConditions: string[];
  targets: string;
  /** It stands before the step that this rerun starts from. */
  leftOut: boolean;
  /** How many hosts of the run its selector matches. */
  hostCount: number;
}

export class ComparedRunView {
  executionId: string;
  planRevision: number;
  @ApiProperty({ type: String, nullable: true })
  finishedAt: string | null;
}

/** The evidence for an approval or a decision: what exactly this run would do, and how it differs from the last success there. */
export class ReviewView {
  /** What an approval is bound to. */
  digest: string;
  hostCount: number;
  /** The first 500. */
  @ApiProperty({ type: [ReviewHostView] })
  hosts: ReviewHostView[];
  @ApiProperty({ type: [ReviewStepView] })
  steps: ReviewStepView[];
  @ApiProperty({ type: 'object', additionalProperties: VALUE_SCHEMA })
  variables: Record<string, VariableValue>;
  secretNames: string[];
  /** The last run of the plan in this environment that succeeded; null: none did. */
  @ApiProperty({ type: ComparedRunView, nullable: true })
  comparedTo: ComparedRunView | null;
  /** The first 200. */
  @ApiProperty({ type: [DifferenceView] })
  differences: DifferenceView[];
  moreDifferences: number;
  /**
   * Who wrote what the run reads and has not run approved in the environment; at most 300 and one for each member. Empty
   * for a run that asks for no approval.
   */
  @ApiProperty({ type: [RunAuthorView] })
  authors: RunAuthorView[];
}
