import { sql } from '../../common/database/sql.js';
import type { Requester } from '../rotation/rotation-record.js';

/**
 * State of an enrolment:
 * - `open`: a host may use it
 * - `used`: a host has used it; the same host may repeat the request until the enrolment ends
 * - `revoked`: a person ended it before a host used it
 * - `expired`: no host used it in time
 */
export const ENROLMENT_STATES = ['open', 'used', 'revoked', 'expired'] as const;
export type EnrolmentState = (typeof ENROLMENT_STATES)[number];

export const ENROLMENT_STATE_SQL = sql`case when e.used_at is not null then 'used' when e.revoked_at is not null then 'revoked'
  when e.expires_at <= now() then 'expired' else 'open' end`;

export interface UsedEnrolment {
  id: string;
  tenantId: string;
  environmentId: string;
  sshKeyId: string;
  jumpServerId: string | null;
  username: string;
  port: number;
  name: string | null;
  tags: Record<string, string>;
  prefix: string;
  secretHash: Buffer;
  requestedBy: Requester;
  /** By the clock of the database. */
  expired: boolean;
  revoked: boolean;
  serverId: string | null;
  /** Sorted fingerprints; null: no host has used the enrolment yet. */
  hostKeys: string[] | null;
  tries: number;
  trying: boolean;
  refusals: number;
}

export const USED_ENROLMENT_COLUMNS_SQL = sql`e.id, e.tenant_id as "tenantId", e.environment_id as "environmentId", e.ssh_key_id as "sshKeyId",
  e.jump_server_id as "jumpServerId", e.username, e.port, e.name, e.tags, e.prefix, e.secret_hash as "secretHash",
  e.requested_by as "requestedBy", e.expires_at <= now() as expired, e.revoked_at is not null as revoked,
  e.server_id as "serverId", e.host_keys as "hostKeys", e.tries, coalesce(e.trying_until > now(), false) as trying,
  e.refusals`;

/** Reason for refusing a host, as a sentence that the host receives. Nothing was changed. */
export class EnrolmentRefusedError extends Error {
  override readonly name = 'EnrolmentRefusal';
}
