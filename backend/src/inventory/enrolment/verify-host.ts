import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { affected, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { type ServerContactData, type ContactFinding, ServerContacts } from '../checks/server-contact.js';
import { toRefusalReason } from './enrol-host.js';
import { EnrolmentRefusedError } from './enrolment-record.js';
import type { HostAnswer, EnrolmentOutcome } from './host-answer.js';
import { type HostRequest, type EnrolmentCredential, UsedEnrolments } from './used-enrolments.js';

/** Maximum number of login attempts per enrolment. A host repeats its request until its sshd is running. */
const MAX_LOGIN_ATTEMPTS = 60;
/** Maximum duration of a login, in seconds. Up to three jump servers each have their own deadline within it. */
const MAX_LOGIN_ATTEMPT_SECONDS = 120;

/**
 * Signs in to a host that has registered itself, as a server check does. Stores the result with the server and the
 * enrolment.
 */
@Injectable()
export class HostVerification {
  constructor(
    private readonly units: UnitOfWork,
    private readonly enrolments: UsedEnrolments,
    private readonly contacts: ServerContacts,
  ) {}

  async verifyHost(host: HostRequest): Promise<HostAnswer> {
    const token = await this.enrolments.readCredential(host);
    try {
      return await this.signIn(token, host);
    } catch (error) {
      const message = toRefusalReason(error);
      if (message === null) throw error;
      await this.enrolments.recordRefusal(token, host, message);
      return { outcome: 'refused', say: [message] };
    }
  }

  private async signIn(token: EnrolmentCredential, host: HostRequest): Promise<HostAnswer> {
    const begun = await this.units.run(token.tenantId, (tx) => this.beginAttempt(tx, token, host));
    if (begun === null) return { outcome: 'again', say: ['Another login attempt is running.'] };
    const { caller, serverId } = begun;
    let stored = false;
    try {
      const contact: ServerContactData = await this.contacts.loadContact(caller, serverId);
      const finding = await this.contacts.contactHost(contact);
      await this.contacts.storeFinding(caller, contact, finding, 'server.check', 'enrolment', (tx) =>
        this.endAttempt(tx, token, finding),
      );
      stored = true;
      return { outcome: toOutcome(finding), say: [finding.message] };
    } finally {
      if (!stored)
        await this.units.run(token.tenantId, (tx) => this.endAttempt(tx, token, null)).catch(() => undefined);
    }
  }

  /**
   * Reserves the login attempt.
   * @returns null if another login is running
   * @throws EnrolmentRefusedError
   */
  private async beginAttempt(
    tx: EntityManager,
    token: EnrolmentCredential,
    host: HostRequest,
  ): Promise<{ caller: Principal; serverId: string } | null> {
    const enrolment = await this.enrolments.lockEnrolment(tx, token);
    const { serverId } = enrolment;
    if (serverId === null) throw new EnrolmentRefusedError('No host has registered with this enrolment yet.');
    if (enrolment.trying) return null;
    if (enrolment.tries >= MAX_LOGIN_ATTEMPTS)
      throw new EnrolmentRefusedError(
        'Runward made too many login attempts for this enrolment. Check the server in Runward.',
      );
    const caller = await this.enrolments.requireCreator(tx, enrolment, host);
    await affected(
      tx,
      sql`update enrolments set tries = tries + 1, trying_until = now() + make_interval(secs => ${MAX_LOGIN_ATTEMPT_SECONDS})
        where tenant_id = ${token.tenantId} and id = ${token.id}`,
    );
    return { caller, serverId };
  }

  /** @param finding null = the login did not complete */
  private async endAttempt(
    tx: EntityManager,
    { tenantId, id }: EnrolmentCredential,
    finding: ContactFinding | null,
  ): Promise<void> {
    const { state = null, message = null } = finding ?? {};
    await affected(
      tx,
      sql`update enrolments set trying_until = null,
          tried_at = case when ${state}::text is null then tried_at else now() end,
          try_state = coalesce(${state}, try_state), try_message = coalesce(${message}, try_message)
        where tenant_id = ${tenantId} and id = ${id}`,
    );
  }
}

/** A host that is unreachable now may become reachable. Other failures need a person. */
function toOutcome({ state }: ContactFinding): EnrolmentOutcome {
  if (state === 'reachable') return 'verified';
  return state === 'unreachable' ? 'again' : 'failed';
}
