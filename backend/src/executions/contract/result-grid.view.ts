import { ApiProperty } from '@nestjs/swagger';
import { Reason } from '../../common/http/reason.view.js';
import { HOST_STATUSES, type HostStatus, type Verdict, VERDICTS } from '../lifecycle/statuses.js';
import { RESOLUTIONS, type ResolutionView } from './results.view.js';

/** Result that one or more hosts have in one or more steps. */
export class ResultCellView {
  /** Status of the step on these hosts. */
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  attempts: number;
  /** True when the step changed the host; null = unknown. */
  @ApiProperty({ type: Boolean, nullable: true })
  changed: boolean | null;
  /** Resolution of an unknown result; null = not resolved, or not unknown. */
  @ApiProperty({ enum: RESOLUTIONS, nullable: true })
  resolution: ResolutionView['kind'] | null;
  /** Prediction of a dry run; null for other runs. */
  @ApiProperty({ enum: VERDICTS, nullable: true })
  verdict: Verdict | null;
}

/** Hosts and results of a run in compact form: lists with one item for each host, in the same order. */
export class ResultGridView {
  /** Value of `fromHost` for the next hosts; null = the answer has the last host. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  nextHost: number | null;
  /** IDs of the hosts' servers. */
  serverIds: string[];
  /** Names of the servers when the run was started. */
  serverNames: string[];
  /**
   * Host and port.
   * @example ["10.0.0.7:22"]
   */
  addresses: string[];
  /** Status of each host in the run. */
  @ApiProperty({ enum: HOST_STATUSES, isArray: true })
  hostStatuses: HostStatus[];
  /**
   * Time that the steps took on each host together, in ms, with all attempts and without waiting for other hosts; null =
   * no step has finished.
   * @example [4100]
   */
  @ApiProperty({ type: 'array', items: { type: 'integer', minimum: 0, nullable: true } })
  durationsMs: (number | null)[];
  /** For each host, the index in `targetedBy`. */
  @ApiProperty({ type: 'array', items: { type: 'integer', minimum: 0 } })
  targets: number[];
  /** Keys of the steps whose selector matches the host; null = all steps. */
  @ApiProperty({ type: 'array', items: { type: 'array', items: { type: 'string' }, nullable: true } })
  targetedBy: (string[] | null)[];
  /** For each host, the index in `tags`. */
  @ApiProperty({ type: 'array', items: { type: 'integer', minimum: 0 } })
  hostTags: number[];
  /**
   * Tags of the servers when the run was started.
   * @example [{ "role": "web" }]
   */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } })
  tags: Record<string, string>[];
  /** For each host, the index in `facts`. */
  @ApiProperty({ type: 'array', items: { type: 'integer', minimum: 0 } })
  hostFacts: number[];
  /**
   * Latest facts of the servers, to group hosts by: `os`, `osVersion`, `kernel`, `arch`, `init` and `pythonVersion`, as
   * far as known. Empty for servers that you cannot see.
   * @example [{ "os": "debian", "osVersion": "13" }]
   */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } })
  facts: Record<string, string>[];
  /** Keys of the steps of the run, in order. */
  stepKeys: string[];
  /** Different results of the run. */
  @ApiProperty({ type: [ResultCellView] })
  cells: ResultCellView[];
  /** For each host, the indexes in `cells` by step; -1 = no result. Steps after the last result are left out. */
  @ApiProperty({ type: 'array', items: { type: 'array', items: { type: 'integer', minimum: -1 } } })
  results: number[][];
}
