import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { hashPassword } from '../common/crypto/password-hash.js';
import { affected, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { getViolatedConstraint } from '../common/database/database-problem.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import { toLikePattern, type Page } from '../common/http/paging/page.js';
import { readPage } from '../common/http/paging/sorted-page.js';
import { isId } from '../common/ids.js';
import { addUser } from './create-tenant.js';
import { User } from './directory/user.entity.js';
import { recordGivenRight } from './given-rights.js';
import { requireAnotherAdmin, lockMembers } from './last-admin.js';
import type { CreateMemberRequest, ListMembersQuery, UpdateMemberRequest } from './members.dto.js';
import { type CreatedMemberView, type MemberView, type PasswordLinkView, toMemberView } from './members.view.js';
import { PasswordLinks } from './passwords/password-links.js';
import { removeUser } from './remove-member.js';
import { SIGN_INS, type SignIns } from './sign-ins/sign-ins.js';

const MEMBER_ORDER = { name: { column: 'name', kind: 'text' }, email: { column: 'email', kind: 'text' } } as const;

@Injectable()
export class MembersService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly links: PasswordLinks,
    @Inject(SIGN_INS) private readonly signIns: SignIns,
  ) {}

  list(caller: Principal, query: ListMembersQuery): Promise<Page<MemberView>> {
    return this.units.run(caller.tenantId, (tx) => {
      const select = tx.getRepository(User).createQueryBuilder('member').where('member.tenantId = :tenantId', caller);
      if (query.q)
        select.andWhere('(member.name ilike :part or member.email ilike :part)', { part: toLikePattern(query.q) });
      if (query.kind !== undefined) select.andWhere('member.kind = :kind', query);
      return readPage(select, query, toMemberView, MEMBER_ORDER);
    });
  }

  get(caller: Principal, id: string): Promise<MemberView> {
    return this.units.run(caller.tenantId, async (tx) => toMemberView(await this.visible(tx, caller, id)));
  }

  /** Creates a member. Without a password, the response contains the only copy of a one-time link to set one. */
  async create(caller: Principal, request: CreateMemberRequest): Promise<CreatedMemberView> {
    const passwordHash =
      request.password === undefined ? null : await hashPassword(request.password, { key: caller.userId, known: true });
    try {
      return await this.units.run(caller.tenantId, async (tx) => {
        const { email, name, role } = request;
        const id = await addUser(tx, caller.tenantId, { email, name, role, passwordHash });
        await recordGivenRight(tx, caller, 'membership', id);
        const after = toMemberView(await this.visible(tx, caller, id));
        await this.audit.record(tx, caller, {
          action: 'member.create',
          resourceId: id,
          resourceName: email,
          after,
        });
        if (passwordHash !== null) return after;
        const { setPasswordPath } = await this.links.create(tx, caller.tenantId, id);
        return { ...after, setPasswordPath };
      });
    } catch (error) {
      if (getViolatedConstraint(error, 'unique') === null) throw error;
      throw conflict('duplicate_email', `A member with the email address ${request.email} already exists.`);
    }
  }

  /**
   * Changes name, role or the disabled state. Takes effect at the member's next request.
   * @throws Problem 409 `last_admin`
   */
  update(caller: Principal, id: string, request: UpdateMemberRequest, version: number | null): Promise<MemberView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await lockMembers(tx, caller.tenantId);
      const user = await this.person(tx, caller, id);
      requireVersion(user, version);
      const before = toMemberView(user);
      const role = request.role ?? user.role;
      const disabled = request.disabled ?? before.disabled;
      if (isActiveAdmin(user) && (role !== 'admin' || disabled)) await requireAnotherAdmin(tx, caller.tenantId, id);
      await affected(
        tx,
        sql`update users set name = ${request.name ?? user.name}, role = ${role},
            disabled_at = case when ${disabled} then coalesce(disabled_at, now()) end,
            updated_at = now(), version = version + 1
          where tenant_id = ${caller.tenantId} and id = ${id}`,
      );
      if (before.disabled && !disabled) await recordGivenRight(tx, caller, 'membership', id);
      if (role !== user.role) await recordGivenRight(tx, caller, 'role', id);
      // Otherwise the sessions would be valid again after the member is enabled.
      if (disabled && !before.disabled) await this.signIns.endSessions(tx, caller.tenantId, id, null);
      const after = toMemberView(await this.visible(tx, caller, id));
      await this.audit.record(tx, caller, {
        action: 'member.update',
        resourceId: id,
        resourceName: user.email,
        before,
        after,
      });
      return after;
    });
  }

  /**
   * Removes a member with sessions and tokens. Records and history stay.
   * @throws Problem 409 `last_admin`, `in_use`
   */
  remove(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      await lockMembers(tx, caller.tenantId);
      const user = await this.person(tx, caller, id);
      requireVersion(user, version);
      if (isActiveAdmin(user)) await requireAnotherAdmin(tx, caller.tenantId, id);
      await removeUser(tx, this.signIns, user);
      await this.audit.record(tx, caller, {
        action: 'member.remove',
        resourceId: id,
        resourceName: user.email,
        before: toMemberView(user),
      });
    });
  }

  createPasswordLink(caller: Principal, id: string): Promise<PasswordLinkView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const user = await this.person(tx, caller, id);
      await recordGivenRight(tx, caller, 'password', id);
      const { setPasswordPath, expiresAt } = await this.links.create(tx, caller.tenantId, id);
      await this.audit.record(tx, caller, {
        action: 'member.password_link',
        resourceId: id,
        resourceName: user.email,
      });
      return { setPasswordPath, expiresAt: expiresAt.toISOString() };
    });
  }

  /** @throws Problem 404; 409 `service_account` */
  private async person(tx: EntityManager, caller: Principal, id: string): Promise<User> {
    const user = await this.visible(tx, caller, id);
    if (user.kind === 'person') return user;
    throw conflict(
      'service_account',
      `"${user.name}" is a service account: it has no password, and is changed under /api/service-accounts.`,
    );
  }

  private async visible(tx: EntityManager, caller: Principal, id: string): Promise<User> {
    const user = isId(id) ? await tx.getRepository(User).findOneBy({ tenantId: caller.tenantId, id }) : null;
    if (!user) throw notFound();
    return user;
  }
}

/** Service accounts do not count, because they cannot sign in. */
const isActiveAdmin = ({ kind, role, disabledAt }: User): boolean =>
  kind === 'person' && role === 'admin' && disabledAt === null;
