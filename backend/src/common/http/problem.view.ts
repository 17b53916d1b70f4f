import { ApiProperty } from '@nestjs/swagger';

/** One fault of a request. */
export class ProblemItemView {
  /**
   * JSON pointer into the body, or `?name` of a query parameter.
   * @example "/steps/0/command"
   */
  path: string;
  /** @example "unknown_field" */
  code: string;
  message: string;
  /** Line of a text that the value holds, where one is at fault. */
  line?: number;
  /** Column of that line, from 1. */
  column?: number;
  /** Name of what is at fault within such a text. */
  entry?: string;
}

/** One run that stands in the way of a start. */
export class OverlapConflictView {
  executionId?: string;
  planName?: string;
  startedBy?: string;
  since?: string;
  sharedHosts: string[];
  sharedKeys: string[];
  /** The run is over, and holds its hosts until a person has said what became of a command there. */
  unknownResults?: boolean;
  /** The run holds nothing yet: it waits for these in the queue, and goes first. */
  waits?: boolean;
}

/** One thing that differs between what was seen and what would run now. */
export class DifferenceView {
  @ApiProperty({ enum: ['step', 'script', 'template', 'variable', 'secret', 'host', 'setting'] })
  kind: 'step' | 'script' | 'template' | 'variable' | 'secret' | 'host' | 'setting';
  /** @example "restart" */
  name: string;
  @ApiProperty({ enum: ['added', 'removed', 'changed'] })
  change: 'added' | 'removed' | 'changed';
  /** Null for a secret, and for what was not there. */
  @ApiProperty({ type: String, nullable: true })
  before: string | null;
  @ApiProperty({ type: String, nullable: true })
  after: string | null;
}

/** What still refers to a record. */
export class ReferrerView {
  type: string;
  id: string;
  name: string;
}

export class NamedUserView {
  id: string;
  name: string;
}

export class NamedHostView {
  serverId: string;
  name: string;
}

/** A server that can not be changed as was asked for many. */
export class ServerRefusalView extends NamedHostView {
  /**
   * That of a single change.
   * @example "duplicate_address"
   */
  code: string;
  message: string;
}

/** Results of one step that another one would look for in vain. */
export class MissingResultsView {
  /** The step that looks back. */
  stepKey: string;
  /** Key of the step that it looks back at. */
  needs: string;
  /** How many hosts have no such result. */
  count: number;
  /** The first of them. */
  @ApiProperty({ type: [NamedHostView] })
  hosts: NamedHostView[];
}

/** A server of another environment that is, or was before, the machine of a host. */
export class OtherServerView {
  /** The server that the request is about. @example "web-1" */
  name: string;
  /** By what the two are one machine. */
  @ApiProperty({ enum: ['address', 'host_key'] })
  by: 'address' | 'host_key';
  serverId: string;
  /** @example "db-1" */
  serverName: string;
  environmentId: string;
  /** @example "production" */
  environmentName: string;
}

/** Finished runs and bytes of their output that would be deleted, and of how many. */
export class RemovalView {
  runs: number;
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

/** A part of what a run reads that has not run in its environment, and who wrote it. */
export class RunAuthorView {
  /** More kinds may come. */
  @ApiProperty({ enum: RUN_AUTHOR_KINDS })
  kind: string;
  /** Of what they wrote. @example "deploy.sh" */
  name: string;
  /** Number of their last revision; null: it has no revisions, or they were deleted. */
  @ApiProperty({ type: Number, nullable: true })
  revision: number | null;
  /** Their last commit, or how many further records they changed; null: nothing more is known. */
  @ApiProperty({ type: String, nullable: true })
  detail: string | null;
  /** Null: no member is known by the e-mail address of the commit, or the author can't be determined. */
  @ApiProperty({ type: NamedUserView, nullable: true })
  user: NamedUserView | null;
  /** Name and address that the commit states, or why the author can't be determined; null for a member. */
  @ApiProperty({ type: String, nullable: true })
  statedName: string | null;
  /** The author may not run in the environment. */
  outside: boolean;
}

/** Every error, as RFC 9457 `application/problem+json`. */
export class ProblemView {
  /**
   * Where the code is explained: its place in `GET /api/docs/problems`.
   * @example "/api/docs/problems#not_found"
   */
  @ApiProperty({ format: 'uri-reference' })
  type: string;
  /** @example "Not found" */
  title: string;
  /** @example 404 */
  status: number;
  /**
   * Stable name of the problem; `GET /api/docs/problems` lists them. More may come.
   * @example "not_found"
   */
  code: string;
  detail: string;
  requestId: string;
  @ApiProperty({ type: [ProblemItemView], required: false })
  errors?: ProblemItemView[];
  @ApiProperty({ type: [OverlapConflictView], required: false })
  conflicts?: OverlapConflictView[];
  /** How many further runs overlap that the caller may not see. */
  hiddenConflicts?: number;
  /** Authors whose content needs the confirmation of a person, or who are unknown. */
  @ApiProperty({ type: [RunAuthorView], required: false })
  authors?: RunAuthorView[];
  /** What a person sends with the start to accept the content of these authors. */
  acceptAuthors?: string;
  /** What differs from what the expected digest stands for. */
  @ApiProperty({ type: [DifferenceView], required: false })
  differences?: DifferenceView[];
  /** How many further differences there are that are not listed. */
  moreDifferences?: number;
  /** Results that a rerun would look for in vain. */
  @ApiProperty({ type: [MissingResultsView], required: false })
  missing?: MissingResultsView[];
  /** What may be done instead at this moment. */
  choices?: string[];
  @ApiProperty({ type: [ReferrerView], required: false })
  referrers?: ReferrerView[];
  /** How many further records refer to it that the caller may not see. */
  hiddenReferrers?: number;
  /** Servers that can not be changed as was asked for many: the first of them. */
  @ApiProperty({ type: [ServerRefusalView], required: false })
  refusals?: ServerRefusalView[];
  /** How many further ones there are. */
  moreRefusals?: number;
  /** Servers of other environments that keep a host from this: those that the caller may see. */
  @ApiProperty({ type: [OtherServerView], required: false })
  otherServers?: OtherServerView[];
  /** How many further ones there are that the caller may not see. */
  hiddenServers?: number;
  /** How much a rule of retention would delete. */
  @ApiProperty({ type: RemovalView, required: false })
  removal?: RemovalView;
  /** When the run windows of the environment open next. */
  @ApiProperty({ type: String, format: 'date-time', required: false })
  nextOpensAt?: string;
  /** Until when the secret of a webhook before the current one signs. */
  @ApiProperty({ type: String, format: 'date-time', required: false })
  oldSecretUntil?: string;
}
