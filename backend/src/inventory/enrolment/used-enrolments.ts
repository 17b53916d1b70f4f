import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { hashSecret, parseEnrolmentToken } from '../../common/crypto/api-token.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { type OtherServerItem, type Problem, unauthorizedProblem } from '../../common/errors/problem.js';
import { MAX_LISTED_SERVERS } from '../../environments/visible-servers.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { mayRun } from '../../environments/grant-policy.js';
import { findCredential } from '../../tenancy/directory/auth-directory.js';
import { EnrolmentRefusedError, USED_ENROLMENT_COLUMNS_SQL, type UsedEnrolment } from './enrolment-record.js';

/** Maximum number of audited refusals per enrolment. A token holder could otherwise fill the audit trail. */
const MAX_AUDITED_REFUSALS = 20;

export interface HostRequest {
  /** Value of the `Authorization` header; undefined = missing. */
  authorization: string | undefined;
  address: string;
  requestId: string;
}

export interface EnrolmentCredential {
  tenantId: string;
  id: string;
  secretHash: Buffer;
}

@Injectable()
export class UsedEnrolments {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
  ) {}

  /**
   * Parses the token and finds its tenant.
   * @throws Problem 401
   */
  async readCredential({ authorization = '' }: HostRequest): Promise<EnrolmentCredential> {
    const [scheme, token, ...rest] = authorization.trim().split(/ +/);
    const parsed = scheme?.toLowerCase() === 'bearer' && rest.length === 0 ? parseEnrolmentToken(token ?? '') : null;
    if (!parsed) throw unknownTokenProblem();
    const place = await this.units.runWithoutTenant((tx) => findCredential(tx, 'enrolment', Buffer.from(parsed.id)));
    if (!place) throw unknownTokenProblem();
    return { tenantId: place.tenantId, id: place.recordId, secretHash: hashSecret(parsed.secret) };
  }

  /**
   * Verifies the secret and locks the enrolment until the transaction ends, so concurrent requests with one token run
   * one after another.
   * @throws Problem 401; EnrolmentRefusal if the enrolment was revoked or has expired
   */
  async lockEnrolment(tx: EntityManager, { tenantId, id, secretHash }: EnrolmentCredential): Promise<UsedEnrolment> {
    const enrolment = await row(
      tx,
      sql<UsedEnrolment>`select ${USED_ENROLMENT_COLUMNS_SQL} from enrolments e
        where e.tenant_id = ${tenantId} and e.id = ${id} for update`,
    );
    if (!enrolment || !timingSafeEqual(enrolment.secretHash, secretHash)) throw unknownTokenProblem();
    if (enrolment.revoked) throw new EnrolmentRefusedError('This enrolment was revoked. Create a new one.');
    if (enrolment.expired) throw new EnrolmentRefusedError('This enrolment has expired. Create a new one.');
    return enrolment;
  }

  /**
   * Returns the creator of the enrolment as the caller, with the creator's current role and the host's address.
   * @throws EnrolmentRefusedError if the creator may no longer register servers there
   */
  async requireCreator(
    tx: EntityManager,
    enrolment: UsedEnrolment,
    { address, requestId }: HostRequest,
  ): Promise<Principal> {
    const { tenantId, environmentId, requestedBy } = enrolment;
    const environmentRights = await this.environments.readRights(tx, tenantId, environmentId, [requestedBy.userId]);
    if (!environmentRights)
      throw new EnrolmentRefusedError('The environment of this enrolment was deleted. Create a new enrolment.');
    const rights = environmentRights.of(requestedBy.userId);
    if (!rights || !mayRun(rights))
      throw new EnrolmentRefusedError(
        'The creator of this enrolment can no longer register servers there. Ask another member to create a new one.',
      );
    // Older enrolments have no `limits`, because token scopes did not exist.
    return { ...requestedBy, limits: requestedBy.limits ?? null, role: rights.role, address, requestId };
  }

  /** Counts a refused request, and audits it unless the enrolment has reached `MAX_AUDITED_REFUSALS`. */
  async recordRefusal(
    { tenantId, id }: EnrolmentCredential,
    host: HostRequest,
    message: string,
    details: object = {},
    others: readonly OtherServerItem[] = [],
  ): Promise<void> {
    const otherServers = others.slice(0, MAX_LISTED_SERVERS);
    await this.units.run(tenantId, async (tx) => {
      const enrolment = await row(
        tx,
        sql<{ prefix: string; refusals: number }>`update enrolments
          set refusals = refusals + 1, refused_at = now(), refused_address = ${host.address},
            refused_message = ${message}, refused_servers = ${JSON.stringify(otherServers)}
          where tenant_id = ${tenantId} and id = ${id} returning prefix, refusals`,
      );
      if (!enrolment || enrolment.refusals > MAX_AUDITED_REFUSALS) return;
      await this.recordAudit(tx, { tenantId, id, prefix: enrolment.prefix }, host, 'enrolment.refuse', {
        ...{ message, ...details },
        ...(otherServers.length > 0 ? { otherServers } : {}),
      });
    });
  }

  /** Audits an action of a host. The actor is anonymous, because a token does not prove which host sent the request. */
  recordAudit(
    tx: EntityManager,
    { tenantId, id, prefix }: Pick<UsedEnrolment, 'tenantId' | 'id' | 'prefix'>,
    { address, requestId }: HostRequest,
    action: AuditActionName,
    after: object,
  ): Promise<void> {
    return this.audit.record(
      tx,
      { kind: 'anonymous', tenantId, userId: null, name: `a host, with the enrolment ${prefix}`, address, requestId },
      { action, resourceId: id, resourceName: prefix, after },
    );
  }
}

const unknownTokenProblem = (): Problem =>
  unauthorizedProblem(
    'unauthorized',
    'Send the token of an enrolment as a bearer token. If you did, create a new enrolment.',
  );
