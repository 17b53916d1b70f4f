import { ApiProperty } from '@nestjs/swagger';
import type { OtherServerItem } from '../../common/errors/problem.js';
import { OtherServerView } from '../../common/http/problem.view.js';
import { TAG_MAP_SCHEMA } from '../fields/tags.js';
import { CHECK_STATES } from '../server.entity.js';
import { ENROLMENT_STATES, type EnrolmentState } from './enrolment-record.js';

export class EnrolmentUserView {
  id: string;
  /** @example "Ada" */
  name: string;
}

export class EnrolledServerView {
  id: string;
  /** @example "web-1" */
  name: string;
}

/** What the latest login found that Runward tried for an enrolment. */
export class EnrolmentLoginView {
  at: string;
  /** As of a check of the server: `reachable` once it worked. */
  @ApiProperty({ enum: CHECK_STATES })
  state: (typeof CHECK_STATES)[number];
  /** @example "Signed in as deploy; the host key is the pinned one." */
  message: string;
}

/** A host that was turned away. */
export class EnrolmentRefusalView {
  at: string;
  /** Where it came from. */
  address: string;
  message: string;
  /** Servers of other environments that were proved to be this host, as far as the caller may see them. */
  @ApiProperty({ type: [OtherServerView] })
  otherServers: OtherServerView[];
  /** How many of those servers the caller may not see. */
  hiddenServers: number;
}

/** Lets one host register itself. Never its token. */
export class EnrolmentView {
  id: string;
  /**
   * The visible beginning of the token.
   * @example "runward-enrol_abcd1234WXYZ"
   */
  prefix: string;
  environmentId: string;
  sshKeyId: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  jumpServerId: string | null;
  /** @example "deploy" */
  username: string;
  /** @example 22 */
  port: number;
  @ApiProperty(TAG_MAP_SCHEMA)
  tags: Record<string, string>;
  /** What the server is called; null: as the host calls itself. */
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
  /** `open`: a host may use it. `used`: one has, and may repeat that until it ends. */
  @ApiProperty({ enum: ENROLMENT_STATES })
  state: EnrolmentState;
  createdBy: EnrolmentUserView;
  createdAt: string;
  expiresAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  usedAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revokedAt: string | null;
  /** What came of it; null: nothing yet, or the server is gone, or the caller may not see it where it is now. */
  @ApiProperty({ type: EnrolledServerView, nullable: true })
  server: EnrolledServerView | null;
  /** Null: none was tried. */
  @ApiProperty({ type: EnrolmentLoginView, nullable: true })
  login: EnrolmentLoginView | null;
  /** How many requests of hosts were turned away. */
  refusals: number;
  /** The latest of them. */
  @ApiProperty({ type: EnrolmentRefusalView, nullable: true })
  lastRefusal: EnrolmentRefusalView | null;
}

/** The answer to its creation: the only time that token and command are shown. */
export class CreatedEnrolmentView extends EnrolmentView {
  /**
   * It is not kept and can't be shown again.
   * @example "runward-enrol_…"
   */
  token: string;
  /**
   * One line for a POSIX shell of root, or of the user itself, and for cloud-init. Holds the token.
   * @example "s=$(…) && RUNWARD_URL='https://runward.example.org' RUNWARD_ENROLMENT='…' RUNWARD_USER='deploy' sh -c \"$s\""
   */
  command: string;
}

export class EnrolmentListView {
  @ApiProperty({ type: [EnrolmentView] })
  items: EnrolmentView[];
  nextCursor: string | null;
}

/** A row as the reader selects it. */
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
      ? { at: row.triedAt.toISOString(), state: row.tryState, message: row.tryMessage ?? '' }
      : null,
  refusals: row.refusals,
  lastRefusal: row.refusedAt
    ? {
        at: row.refusedAt.toISOString(),
        address: row.refusedAddress ?? '',
        message: row.refusedMessage ?? '',
        ...others,
      }
    : null,
});
