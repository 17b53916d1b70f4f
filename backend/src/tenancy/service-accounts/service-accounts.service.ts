import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { getViolatedConstraint } from '../../common/database/database-problem.js';
import { affected, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, notFound } from '../../common/errors/problem.js';
import { requireVersion } from '../../common/http/etag.js';
import { toLikePattern, type Page } from '../../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../../common/http/paging/sorted-page.js';
import { isId, newId } from '../../common/ids.js';
import { User } from '../directory/user.entity.js';
import { lockMembers } from '../last-admin.js';
import { removeUser } from '../remove-member.js';
import { SIGN_INS, type SignIns } from '../sign-ins/sign-ins.js';
import { type EndedRunsView, UNBEGUN_RUNS, type UnbegunRuns } from '../unbegun-runs.js';
import type {
  CreateServiceAccountRequest,
  ListServiceAccountsQuery,
  UpdateServiceAccountRequest,
} from './service-accounts.dto.js';
import { type ServiceAccountView, toServiceAccountView } from './service-accounts.view.js';

const MEMBER_KIND = 'service_account';

/**
 * Address that cannot exist (RFC 2606). Every member has an email address, but a service account must not be found by
 * one, so the sign-in directory does not contain it.
 */
const addressOf = (id: string): string => `${id}@service-accounts.invalid`;

@Injectable()
export class ServiceAccountsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    @Inject(SIGN_INS) private readonly signIns: SignIns,
    @Inject(UNBEGUN_RUNS) private readonly unbegunRuns: UnbegunRuns,
  ) {}

  list(caller: Principal, query: ListServiceAccountsQuery): Promise<Page<ServiceAccountView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const select = tx
        .getRepository(User)
        .createQueryBuilder('account')
        .where('account.tenantId = :tenantId and account.kind = :kind', {
          tenantId: caller.tenantId,
          kind: MEMBER_KIND,
        });
      if (query.q) select.andWhere('account.name ilike :part', { part: toLikePattern(query.q) });
      const page = await readPage(select, query, toServiceAccountView, { name: NAMED_RECORD_COLUMNS.name });
      const ids = page.items.map(({ id }) => id);
      const runs = await this.unbegunRuns(tx, caller.tenantId, 'member', ids);
      return { ...page, items: page.items.map((account) => ({ ...account, waitingRuns: runs.get(account.id) ?? 0 })) };
    });
  }

  get(caller: Principal, id: string): Promise<ServiceAccountView> {
    return this.units.run(caller.tenantId, async (tx) => {
      return this.withWaitingRuns(tx, caller, toServiceAccountView(await visible(tx, caller, id)));
    });
  }

  create(
    caller: Principal,
    { name, role, description = '' }: CreateServiceAccountRequest,
  ): Promise<ServiceAccountView> {
    const id = newId();
    return this.named(name, () =>
      this.units.run(caller.tenantId, async (tx) => {
        const { tenantId } = caller;
        const fields = { name, role, description, email: addressOf(id), kind: MEMBER_KIND as User['kind'] };
        await tx.getRepository(User).insert({ id, tenantId, passwordHash: null, ...fields });
        const after = toServiceAccountView(await visible(tx, caller, id));
        await this.audit.recordChange(tx, caller, { action: 'service_account.create', after });
        return after;
      }),
    );
  }

  /**
   * Takes effect on the service account's next request.
   * @throws Problem 404; 409 `duplicate_name`; 412
   */
  update(
    caller: Principal,
    id: string,
    { disabled, ...request }: UpdateServiceAccountRequest,
    version: number | null,
  ): Promise<ServiceAccountView> {
    return this.named(request.name ?? '', () =>
      this.units.run(caller.tenantId, async (tx) => {
        await lockMembers(tx, caller.tenantId);
        const account = await visible(tx, caller, id);
        requireVersion(account, version);
        const before = toServiceAccountView(account);
        await affected(
          tx,
          sql`update users set name = ${request.name ?? account.name}, role = ${request.role ?? account.role},
              description = ${request.description ?? account.description}, updated_at = now(), version = version + 1,
              disabled_at = case when ${disabled ?? before.disabled} then coalesce(disabled_at, now()) end
            where tenant_id = ${caller.tenantId} and id = ${id}`,
        );
        const after = toServiceAccountView(await visible(tx, caller, id));
        await this.audit.recordChange(tx, caller, { action: 'service_account.update', before, after });
        return this.withWaitingRuns(tx, caller, after);
      }),
    );
  }

  /**
   * Also deletes tokens and grants. Records and history stay.
   * @throws Problem 404; 409 `in_use`; 412
   */
  remove(caller: Principal, id: string, version: number | null): Promise<EndedRunsView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await lockMembers(tx, caller.tenantId);
      const account = await visible(tx, caller, id);
      requireVersion(account, version);
      const runs = await this.unbegunRuns(tx, caller.tenantId, 'member', [account.id]);
      const endedRuns = runs.get(account.id) ?? 0;
      await removeUser(tx, this.signIns, account);
      const before = toServiceAccountView(account);
      await this.audit.recordChange(tx, caller, { action: 'service_account.remove', before });
      return { endedRuns };
    });
  }

  private async withWaitingRuns(
    tx: EntityManager,
    { tenantId }: Principal,
    account: ServiceAccountView,
  ): Promise<ServiceAccountView> {
    const runs = await this.unbegunRuns(tx, tenantId, 'member', [account.id]);
    return { ...account, waitingRuns: runs.get(account.id) ?? 0 };
  }

  private async named<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (getViolatedConstraint(error, 'unique') !== 'users_service_account_name') throw error;
      throw conflict('duplicate_name', `A service account named "${name}" already exists.`);
    }
  }
}

async function visible(tx: EntityManager, { tenantId }: Principal, id: string): Promise<User> {
  const account = isId(id) ? await tx.getRepository(User).findOneBy({ tenantId, id, kind: MEMBER_KIND }) : null;
  if (!account) throw notFound();
  return account;
}
