import { ApiProperty } from '@nestjs/swagger';
import type { Session } from './session.entity.js';

/** A signed-in browser. */
export class SessionView {
  id: string;
  /**
   * IP address of the last request.
   * @example "192.0.2.7"
   */
  address: string;
  /** Header `User-Agent` of the login; empty = none was sent. */
  userAgent: string;
  createdAt: string;
  /** Time of the last request, with a precision of one minute. */
  lastSeenAt: string;
  /** Time at which the session ends, in UTC. */
  expiresAt: string;
  /** True: the session of this request. */
  current: boolean;
}

export class SessionListView {
  @ApiProperty({ type: [SessionView] })
  items: SessionView[];
  nextCursor: string | null;
}

export const toSessionView = (session: Session, currentId: string | null): SessionView => ({
  id: session.id,
  address: session.address,
  userAgent: session.userAgent,
  createdAt: session.createdAt.toISOString(),
  lastSeenAt: session.lastSeenAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
  current: session.id === currentId,
});
