import { ApiProperty } from '@nestjs/swagger';
import { Reason } from './reason.view.js';
import { UserReference } from './user-reference.view.js';

/** One fault in a request. */
export class ProblemItemView {
  /**
   * JSON pointer into the body, or `?name` for a query parameter.
   * @example "/steps/0/command"
   */
  path: string;
  /** @example "unknown_field" */
  code: string;
  message: string;
  /** Line of the fault when the value is a text of several lines, from 1. */
  line?: number;
  /** Column of the fault in that line, from 1. */
  column?: number;
  /** Name of the faulty entry in such a text. */
  entry?: string;
}

/** One run that conflicts with a start. */
export class OverlapConflictView {
  executionId?: string;
  planName?: string;
  startedBy?: UserReference;
  since?: string;
  sharedHosts: string[];
  sharedKeys: string[];
  /** The run has ended, but holds its hosts until a person resolves the unknown result of a command there. */
  unknownResults?: boolean;
  /** The run holds nothing yet: it waits in the queue before the new run. */
  waits?: boolean;
}

/** One difference between the content that was reviewed and the content that would run now. */
export class DifferenceView {
  /** Kind of the part that differs. */
  @ApiProperty({ enum: ['step', 'script', 'template', 'variable', 'secret', 'host', 'setting'] })
  kind: 'step' | 'script' | 'template' | 'variable' | 'secret' | 'host' | 'setting';
  /**
   * Key or name of the part.
   * @example "restart"
   */
  name: string;
  /** `added` and `removed` compare this run with the earlier one. */
  @ApiProperty({ enum: ['added', 'removed', 'changed'] })
  change: 'added' | 'removed' | 'changed';
  /** Null for a secret and for an added item. */
  @ApiProperty({ type: String, nullable: true })
  before: string | null;
  @ApiProperty({ type: String, nullable: true })
  after: string | null;
}

/** A record that uses the record of the request. */
export class ReferrerView {
  /** Type of the record that uses it, such as `plan` or `schedule`. */
  type: string;
  id: string;
  /** Name of the record that uses it. */
  name: string;
}

export class NamedHostView {
  serverId: string;
  name: string;
}

/** A server that a bulk change refused. */
export class ServerRefusalView extends NamedHostView {
  /** Problem that a change of this server alone would get. */
  reason: Reason;
}

/** Results that a step of a rerun needs and that do not exist. */
export class MissingResultsView {
  /** Key of the step that needs them. */
  stepKey: string;
  /** Key of the step whose results it needs. */
  needs: string;
  /** Number of hosts without these results. */
  count: number;
  /** The first of these hosts. */
  @ApiProperty({ type: [NamedHostView] })
  hosts: NamedHostView[];
}

/** A server of another environment that has, or had, the machine of a host. */
export class OtherServerView {
  /** Name of the server in the request. @example "web-1" */
  name: string;
  /** Property by which both servers are the same machine. */
  @ApiProperty({ enum: ['address', 'host_key'] })
  by: 'address' | 'host_key';
  serverId: string;
  /** @example "db-1" */
  serverName: string;
  environmentId: string;
  /** @example "production" */
  environmentName: string;
}

/** Finished runs and bytes of output that would be deleted, and their totals. */
export class RemovalView {
  /** Number of runs that would be deleted. */
  runs: number;
  /** Output of the runs that would be deleted, in bytes. */
  bytes: number;
  ofRuns: number;
  ofBytes: number;
}

export const RUN_AUTHOR_KINDS = [
  'plan',
  'script',
  'template',
  'git_commit',
  'git_source',
  'environment_variable',
  'server_variable',
  'server_tag',
  'server',
  'host_key',
  'jump_server',
  'ssh_key',
] as const;

/** Content of a run that is new in its environment, and its author. */
export class RunAuthorView {
  /** Kind of the content. More kinds can be added. */
  @ApiProperty({ enum: RUN_AUTHOR_KINDS })
  kind: string;
  /** Name of the content. @example "deploy.sh" */
  name: string;
  /** Number of the author's last revision; null = no revisions, or they were deleted. */
  @ApiProperty({ type: Number, nullable: true })
  revision: number | null;
  /** The author's last commit, or the number of further records that they changed; null = nothing more is known. */
  @ApiProperty({ type: String, nullable: true })
  detail: string | null;
  /** Null: no member has the email address of the commit, or the author cannot be determined. */
  @ApiProperty({ type: UserReference, nullable: true })
  user: UserReference | null;
  /** Name and address in the commit, or the reason why the author cannot be determined; null for a member. */
  @ApiProperty({ type: String, nullable: true })
  statedName: string | null;
  /** The author may not run in the environment. */
  outside: boolean;
}

/** Error answer (`application/problem+json`, RFC 9457). */
export class ProblemView {
  /**
   * Link to the explanation of the code in `GET /api/docs/problems`.
   * @example "/api/docs/problems#not_found"
   */
  @ApiProperty({ format: 'uri-reference' })
  type: string;
  /**
   * Short name of the problem, the same for each `code`.
   * @example "Not found"
   */
  title: string;
  /**
   * HTTP status of the answer.
   * @example 404
   */
  status: number;
  /**
   * Stable code of the problem; `GET /api/docs/problems` lists all codes. More codes can be added.
   * @example "not_found"
   */
  code: string;
  /** Cause in this case, and what to do. */
  detail: string;
  /** Header `X-Request-Id` of the answer; find it in the server log. */
  requestId: string;
  /** Faults of the request, for 400 and some 409. */
  @ApiProperty({ type: [ProblemItemView], required: false })
  errors?: ProblemItemView[];
  /** Runs that conflict, for `run_overlap`. */
  @ApiProperty({ type: [OverlapConflictView], required: false })
  conflicts?: OverlapConflictView[];
  /** Number of overlapping runs that you cannot see. */
  hiddenConflicts?: number;
  /** Authors whose content a person must accept, or who are unknown. */
  @ApiProperty({ type: [RunAuthorView], required: false })
  authors?: RunAuthorView[];
  /** Value of `acceptAuthors` with which a person accepts this content at the start. */
  acceptAuthors?: string;
  /** Differences from the content that the expected digest covers. */
  @ApiProperty({ type: [DifferenceView], required: false })
  differences?: DifferenceView[];
  /** Number of differences that are not listed. */
  moreDifferences?: number;
  /** Results that a rerun needs and that do not exist. */
  @ApiProperty({ type: [MissingResultsView], required: false })
  missing?: MissingResultsView[];
  /** Actions that are possible now. */
  choices?: string[];
  /** Records that use the record to delete, for `in_use`. */
  @ApiProperty({ type: [ReferrerView], required: false })
  referrers?: ReferrerView[];
  /** Number of records that use it and that you cannot see. */
  hiddenReferrers?: number;
  /** The first servers that the bulk change refused. */
  @ApiProperty({ type: [ServerRefusalView], required: false })
  refusals?: ServerRefusalView[];
  /** Number of refused servers that are not listed. */
  moreRefusals?: number;
  /** Conflicting servers of other environments that you can see. */
  @ApiProperty({ type: [OtherServerView], required: false })
  otherServers?: OtherServerView[];
  /** Number of conflicting servers that you cannot see. */
  hiddenServers?: number;
  /** Amount that a retention rule would delete. */
  @ApiProperty({ type: RemovalView, required: false })
  removal?: RemovalView;
  /** Time when the next run window of the environment opens. */
  @ApiProperty({ type: String, format: 'date-time', required: false })
  nextOpensAt?: string;
  /** Time until which the previous secret of a webhook signs. */
  @ApiProperty({ type: String, format: 'date-time', required: false })
  oldSecretUntil?: string;
}
