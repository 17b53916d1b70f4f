import { ApiProperty } from '@nestjs/swagger';
import type { OtherServerItem } from '../../common/errors/problem.js';
import { OtherServerView } from '../../common/http/problem.view.js';
import { TAG_MAP_SCHEMA } from '../fields/tags.js';
import { CHECK_STATES } from '../fields/server.entity.js';
import { ENROLMENT_STATES, type EnrolmentState } from './enrolment-record.js';
import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';

export class EnrolledServerView {
  id: string;
  /** @example "web-1" */
  name: string;
}

/** Result of the latest login that Runward tried for an enrolment. */
export class EnrolmentLoginView {
  /** Time of the login, in UTC. */
  at: string;
  /** State as of a server check: `reachable` once the login succeeded. */
  @ApiProperty({ enum: CHECK_STATES })
  state: (typeof CHECK_STATES)[number];
  /** Finding. Its code is the state. */
  reason: Reason;
}

/** Refused request of a host. */
export class EnrolmentRefusalView {
  /** Time of the refused request, in UTC. */
  at: string;
  /** Source address of the request. */
  address: string;
  /** Reason of the refusal, as a problem code and a text. */
  reason: Reason;
  /** Servers of other environments that were proved to be this host, limited to those visible to the caller. */
  @ApiProperty({ type: [OtherServerView] })
  otherServers: OtherServerView[];
  /** Number of those servers that are hidden from the caller. */
  hiddenServers: number;
}

/** Permission for one host to register itself, without its token. */
export class EnrolmentView {
  id: string;
  /**
   * Visible first characters of the token.
   * @example "runward-enrol_abcd1234WXYZ"
   */
  prefix: string;
  environmentId: string;
  sshKeyId: string;
  /** Jump server of the host; null = direct connection. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  jumpServerId: string | null;
  /** @example "deploy" */
  username: string;
  /** @example 22 */
  port: number;
  @ApiProperty(TAG_MAP_SCHEMA)
  tags: Record<string, string>;
  /** Name of the server; null = the host name that the host reports. */
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
  /** `open`: a host can use it. `used`: one host has used it and may repeat the request until it ends. */
  @ApiProperty({ enum: ENROLMENT_STATES })
  state: EnrolmentState;
  createdBy: UserReference;
  createdAt: string;
  /** Time from which the token is refused, in UTC. */
  expiresAt: string;
  /** Time at which a host used the token, in UTC; null = not used. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  usedAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revokedAt: string | null;
  /** Registered server; null = not registered yet, deleted, or in an environment that is hidden from the caller. */
  @ApiProperty({ type: EnrolledServerView, nullable: true })
  server: EnrolledServerView | null;
  /** Latest login; null = none was tried. */
  @ApiProperty({ type: EnrolmentLoginView, nullable: true })
  login: EnrolmentLoginView | null;
  /** Number of refused requests. */
  refusals: number;
  /** Latest refused request. */
  @ApiProperty({ type: EnrolmentRefusalView, nullable: true })
  lastRefusal: EnrolmentRefusalView | null;
}

const COMMAND_EXAMPLE = `s=$(…) && RUNWARD_URL='https://runward.example.org' RUNWARD_ENROLMENT='…' RUNWARD_USER='deploy' sh -c "$s"`;

/** Answer to the creation of an enrolment. Token and command are returned only here. */
export class CreatedEnrolmentView extends EnrolmentView {
  /**
   * Full token, which can't be shown again. Absent in the answer to a repeated `Idempotency-Key`.
   * @example "runward-enrol_…"
   */
  token?: string;
  /**
   * One line for cloud-init or for a POSIX shell of root or of the user. Contains the token.
   * Absent in the answer to a repeated `Idempotency-Key`.
   */
  @ApiProperty({ required: false, example: COMMAND_EXAMPLE })
  command?: string;
}

export class EnrolmentListView {
  @ApiProperty({ type: [EnrolmentView] })
  items: EnrolmentView[];
  nextCursor: string | null;
}

export interface EnrolmentRow
  extends Omit<
    EnrolmentView,
    'createdBy' | 'createdAt' | 'expiresAt' | 'usedAt' | 'revokedAt' | 'server' | 'login' | 'lastRefusal'
  > {
  createdBy: string;
  createdByName: string;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
  revokedAt: Date | null;
  serverId: string | null;
  serverName: string | null;
  triedAt: Date | null;
  tryState: EnrolmentLoginView['state'] | null;
  tryMessage: string | null;
  refusedAt: Date | null;
  refusedAddress: string | null;
  refusedMessage: string | null;
  refusedServers: OtherServerItem[];
}

export const toEnrolmentView = (
  row: EnrolmentRow,
  others: Pick<EnrolmentRefusalView, 'otherServers' | 'hiddenServers'>,
): EnrolmentView => ({
  id: row.id,
  prefix: row.prefix,
  environmentId: row.environmentId,
  sshKeyId: row.sshKeyId,
  jumpServerId: row.jumpServerId,
  username: row.username,
  port: row.port,
  tags: row.tags,
  name: row.name,
  state: row.state,
  createdBy: { id: row.createdBy, name: row.createdByName },
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  usedAt: row.usedAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
  server: row.serverId !== null && row.serverName !== null ? { id: row.serverId, name: row.serverName } : null,
  login:
    row.triedAt && row.tryState
      ? {
          at: row.triedAt.toISOString(),
          state: row.tryState,
          reason: { code: row.tryState, text: row.tryMessage ?? '' },
        }
      : null,
  refusals: row.refusals,
  lastRefusal: row.refusedAt
    ? {
        at: row.refusedAt.toISOString(),
        address: row.refusedAddress ?? '',
        reason: { code: 'enrolment_refused', text: row.refusedMessage ?? '' },
        ...others,
      }
    : null,
});
