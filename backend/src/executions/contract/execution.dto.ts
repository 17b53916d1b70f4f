import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import {
  FreeText,
  Maybe,
  MaybeInstant,
  MaybeOneOf,
  MaybeWhole,
  OneOf,
  Prose,
  RecordId,
  Text,
  YesNo,
} from '../../common/http/fields.js';
import { VALUE_SCHEMA } from '../../common/variables/value-schema.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import { EXECUTION_MODES, type ExecutionMode, ON_OVERLAP, type OnOverlap } from '../lifecycle/statuses.js';
import { MaybeLabels } from './run-labels.js';
import { IsVariableMap } from '../../common/variables/variable-map.js';

/** Keys of steps within calls and lists hold those of what they stand in. */
export const MOST_RUN_KEY = 1000;

/** A digest as runs show it. */
export const Digest = () =>
  Matches(/^[0-9a-f]{64}$/, { message: '$property must be the digest of a run: 64 hexadecimal characters' });

/** The start of a run (spec, Execution start request fields). */
export class StartExecutionRequest {
  @RecordId()
  planId: string;

  /** @example "auto" */
  @OneOf(EXECUTION_MODES)
  execution_mode: ExecutionMode;

  /** Values for the plan's variables, by name. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { RELEASE: '2.4.1' } })
  @Maybe()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /** Instead of the plan's own environment. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /**
   * Selector that narrows the plan's hosts further.
   * @example "name=web-1"
   */
  @Maybe()
  @FreeText(1000)
  targets?: string;

  /**
   * Digest of a dry run or of an earlier run: the start is refused when anything that would run differs from it now.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  @Maybe()
  @Digest()
  expectedDigest?: string;

  /**
   * `acceptAuthors` of a 409 `author_not_allowed`, or of the forecast of a dry run: a person confirms that content of
   * the members named there runs, who may not run in the environment.
   * @example "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
   */
  @Maybe()
  @Digest()
  acceptAuthors?: string;

  /** Why this run: shown in lists. */
  @Maybe()
  @FreeText(2000)
  note?: string;

  /** What to find the run by, such as the pipeline that started it: up to 20 keys with a text each. */
  @MaybeLabels()
  labels?: Record<string, string>;

  /**
   * When another run holds what this one needs: `refuse` answers 409 `run_overlap`; `queue` accepts the run, which waits
   * for its turn in the order of arrival and then begins. A dry run needs nothing for itself.
   */
  @MaybeOneOf(ON_OVERLAP)
  onOverlap?: OnOverlap;

  /**
   * Begins the run at this time, at most a year ahead, in place of now; it is accepted, and asks for its approval, at
   * once. Where others hold what it needs at that time, it ends as CANCELLED, or waits with `onOverlap: queue`.
   */
  @MaybeInstant()
  startAt?: string;

  /** With `onOverlap: queue`: how long it waits for others, in seconds, until it ends as EXPIRED; a day unless told. */
  @MaybeWhole(60, 604_800)
  queueTimeoutSeconds?: number;

  /**
   * Starts it in spite of a freeze of the plan's collection, with this reason. Only admins may send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @Maybe()
  @Prose(500)
  freezeOverride?: string;

  /**
   * Starts it outside of the run windows of the environment, with this reason. Only admins may send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @Maybe()
  @Prose(500)
  windowOverride?: string;
}

const RERUN_HOSTS = ['all', 'failed', 'unfinished'] as const;

export class RerunExecutionRequest {
  /**
   * All hosts of the run; those that failed; or those that failed or have steps that never ran. `unfinished` without
   * `fromStepKey` runs on each host what it lacks, and nothing that it has done.
   * @example "unfinished"
   */
  @OneOf(RERUN_HOSTS)
  hosts: (typeof RERUN_HOSTS)[number];

  /** Leaves out the steps before this one; what they came to is taken over from the run. */
  @Maybe()
  @Text(MOST_RUN_KEY)
  fromStepKey?: string;

  /** `same`: exactly what the run froze. `current`: the plan, variables and servers as they are now. */
  @ApiProperty({ enum: ['same', 'current'], example: 'same' })
  @IsIn(['same', 'current'], { message: 'snapshot must be same or current' })
  snapshot: 'same' | 'current';

  /** Absent: that of the run. */
  @MaybeOneOf(EXECUTION_MODES)
  execution_mode?: ExecutionMode;

  /** Starts it also where steps would look for results in vain that the run does not have. */
  @YesNo()
  acceptGaps?: boolean;

  /**
   * `acceptAuthors` of a 409 `author_not_allowed`: a person confirms that content of the members named there runs, who
   * may not run in the environment.
   * @example "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
   */
  @Maybe()
  @Digest()
  acceptAuthors?: string;

  /** Why this run: shown in lists. */
  @Maybe()
  @FreeText(2000)
  note?: string;

  /** Absent: those of the run. */
  @MaybeLabels()
  labels?: Record<string, string>;

  /**
   * When another run holds what this one needs: `refuse` answers 409 `run_overlap`; `queue` accepts the run, which waits
   * for its turn in the order of arrival and then begins. A dry run needs nothing for itself.
   */
  @MaybeOneOf(ON_OVERLAP)
  onOverlap?: OnOverlap;

  /**
   * Begins the run at this time, at most a year ahead, in place of now; it is accepted, and asks for its approval, at
   * once. Where others hold what it needs at that time, it ends as CANCELLED, or waits with `onOverlap: queue`.
   */
  @MaybeInstant()
  startAt?: string;

  /** With `onOverlap: queue`: how long it waits for others, in seconds, until it ends as EXPIRED; a day unless told. */
  @MaybeWhole(60, 604_800)
  queueTimeoutSeconds?: number;

  /**
   * Starts it in spite of a freeze of the plan's collection, with this reason. Only admins may send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @Maybe()
  @Prose(500)
  freezeOverride?: string;

  /**
   * Starts it outside of the run windows of the environment, with this reason. Only admins may send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @Maybe()
  @Prose(500)
  windowOverride?: string;
}
