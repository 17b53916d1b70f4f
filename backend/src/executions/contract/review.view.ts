import { StepPartView } from './execution.view.js';
import { ApiProperty } from '@nestjs/swagger';
import { VALUE_SCHEMA } from '../../variables/value-schema.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { STEP_TYPES, type StepType } from '../../plans/steps/types/step-types.js';
import { DifferenceView, RunAuthorView } from '../../common/http/problem.view.js';

export class ReviewHostView {
  serverId: string;
  /**
   * Name of the server when the run started.
   * @example "web-1"
   */
  name: string;
  /**
   * User, host name or IP address, and SSH port of the login.
   * @example "deploy@10.0.0.5:22"
   */
  address: string;
  /** SHA-256 fingerprint of the pinned host key; null = none. */
  @ApiProperty({ type: String, nullable: true })
  hostKeyFingerprint: string | null;
  /** Plain values of its server, which override `variables` of the run. */
  @ApiProperty({ type: 'object', additionalProperties: VALUE_SCHEMA })
  variables: Record<string, VariableValue>;
  /** Names of the secrets of its server. */
  secretNames: string[];
}

export class ReviewStepView {
  /** Key of the step in the run. */
  key: string;
  /** Title of the step; empty = none, use `key`. */
  name: string;
  /** Kind of work of the step. */
  @ApiProperty({ enum: STEP_TYPES })
  type: StepType;
  /**
   * Command as it will run, with secrets as names of shell variables; a script below the line that calls it; the file
   * of a template below its path, with secrets masked; the message of a gate; the condition of a wait. If values
   * differ between hosts, the resulting texts follow one another, each below its hosts; at most 5.
   */
  text: string;
  /** False: `text` is still a template, because it needs outputs of earlier steps or facts of the host. */
  rendered: boolean;
  /** User that runs the command, by sudo; null = the login user. */
  @ApiProperty({ type: String, nullable: true })
  become: string | null;
  /** Condition of the step; null = none. */
  @ApiProperty({ type: String, nullable: true })
  when: string | null;
  /** Calls and list items that contain the step, the outermost first; empty for a step of the run's own plan. */
  path: StepPartView[];
  /** Conditions of the calls that contain it; they must be met too. */
  outerConditions: string[];
  /** Selector that narrows the hosts of the run; empty = all. */
  targets: string;
  /** Precedes the first step of this rerun. */
  leftOut: boolean;
  /** Number of hosts of the run that its selector matches. */
  hostCount: number;
}

export class ComparedRunView {
  /** ID of the run. */
  executionId: string;
  planRevision: number;
  @ApiProperty({ type: String, nullable: true })
  finishedAt: string | null;
}

/** Evidence for an approval or decision: what this run would do, and differences from the last successful run. */
export class ReviewView {
  /** Digest that an approval is valid for. */
  digest: string;
  hostCount: number;
  /** The first 500. */
  @ApiProperty({ type: [ReviewHostView] })
  hosts: ReviewHostView[];
  /** Steps of the run with those of called plans and loops, in order. */
  @ApiProperty({ type: [ReviewStepView] })
  steps: ReviewStepView[];
  /** Plain values of the run, by name. */
  @ApiProperty({ type: 'object', additionalProperties: VALUE_SCHEMA })
  variables: Record<string, VariableValue>;
  /** Names of the secrets that the run uses. */
  secretNames: string[];
  /** Last successful run of the plan in this environment; null = none. */
  @ApiProperty({ type: ComparedRunView, nullable: true })
  comparedTo: ComparedRunView | null;
  /** The first 200. */
  @ApiProperty({ type: [DifferenceView] })
  differences: DifferenceView[];
  /** Number of differences that are not listed. */
  moreDifferences: number;
  /**
   * Authors of content that the run uses and that has not run approved in the environment; at most 300, one entry for
   * each member. Empty when the run needs no approval.
   */
  @ApiProperty({ type: [RunAuthorView] })
  authors: RunAuthorView[];
}
