import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import type { UserReference } from '../../common/http/user-reference.view.js';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest, notFound } from '../../common/errors/problem.js';
import { toCanonicalAddress, findHostAddressFault } from '../../common/network/host-address.js';
import type { SharedAddressListView, SharedAddressView } from './shared-addresses.view.js';

const MAX_ADDRESSES = 1000;

interface SharedAddress {
  address: string;
  reason: string;
  markedBy: UserReference | null;
  markedAt: Date;
}

const SHARED_ADDRESS_COLUMNS_SQL = sql`address, reason, case when marked_by_id is not null then jsonb_build_object('id', marked_by_id, 'name', marked_by) end as "markedBy", marked_at as "markedAt"`;

/**
 * Addresses that several machines share, such as a gateway that forwards ports. On such an address, another port is
 * another machine.
 */
@Injectable()
export class SharedAddresses {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  list({ tenantId }: Principal): Promise<SharedAddressListView> {
    return this.units.run(tenantId, async (tx) => {
      const shared = await rows(
        tx,
        sql<SharedAddress>`select ${SHARED_ADDRESS_COLUMNS_SQL} from shared_addresses
          where tenant_id = ${tenantId} order by address limit ${MAX_ADDRESSES}`,
      );
      return { items: shared.map(toView) };
    });
  }

  /**
   * Marks an address as shared. Keeps an existing mark.
   * @throws Problem 400; 409 `too_many_shared_addresses`
   */
  mark(caller: Principal, written: string, reason: string): Promise<SharedAddressView> {
    const address = parseAddress(written);
    const { tenantId } = caller;
    return this.units.run(tenantId, async (tx) => {
      await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`shared addresses ${tenantId}`}, 0))`);
      const known = await findSharedAddress(tx, tenantId, address);
      if (known) return toView(known);
      const counted = await row(
        tx,
        sql<{ count: number }>`select count(*)::int as count from shared_addresses where tenant_id = ${tenantId}`,
      );
      if ((counted?.count ?? 0) >= MAX_ADDRESSES)
        throw conflict(
          'too_many_shared_addresses',
          `At most ${MAX_ADDRESSES.toLocaleString('en')} addresses can be shared. Remove one that is no longer used.`,
        );
      await affected(
        tx,
        sql`insert into shared_addresses (tenant_id, address, reason, marked_by, marked_by_id)
          values (${tenantId}, ${address}, ${reason}, ${caller.name}, ${caller.userId})`,
      );
      const marked = await findSharedAddress(tx, tenantId, address);
      if (!marked) throw new Error('The new shared address could not be read.');
      await this.recordAudit(tx, caller, 'shared_address.create', marked);
      return toView(marked);
    });
  }

  /** @throws Problem 404 */
  unmark(caller: Principal, written: string): Promise<void> {
    if (findHostAddressFault(written) !== null) throw notFound();
    const address = toCanonicalAddress(written);
    return this.units.run(caller.tenantId, async (tx) => {
      const known = await findSharedAddress(tx, caller.tenantId, address);
      if (!known) throw notFound();
      await affected(
        tx,
        sql`delete from shared_addresses where tenant_id = ${caller.tenantId} and address = ${address}`,
      );
      await this.recordAudit(tx, caller, 'shared_address.delete', known);
    });
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    action: AuditActionName,
    { address, reason }: SharedAddress,
  ): Promise<void> {
    return this.audit.record(tx, caller, {
      action,
      resourceName: address,
      after: { address, reason },
    });
  }
}

export async function findSharedAddresses(
  tx: EntityManager,
  tenantId: string,
  addresses: readonly string[],
): Promise<Set<string>> {
  const shared = await rows(
    tx,
    sql<{ address: string }>`select address from shared_addresses
      where tenant_id = ${tenantId} and address = any (${addresses})`,
  );
  return new Set(shared.map(({ address }) => address));
}

const findSharedAddress = (tx: EntityManager, tenantId: string, address: string): Promise<SharedAddress | undefined> =>
  row(
    tx,
    sql<SharedAddress>`select ${SHARED_ADDRESS_COLUMNS_SQL} from shared_addresses where tenant_id = ${tenantId} and address = ${address}`,
  );

/** @throws Problem 400 */
function parseAddress(written: string): string {
  const fault = findHostAddressFault(written);
  if (fault)
    throw invalidRequest([
      { path: '/address', code: 'invalid_value', message: fault.replace('hostname', 'The address in the path') },
    ]);
  return toCanonicalAddress(written);
}

const toView = ({ markedAt, ...fields }: SharedAddress): SharedAddressView => ({
  ...fields,
  markedAt: markedAt.toISOString(),
});
