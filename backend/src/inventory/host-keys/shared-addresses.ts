import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest, notFound } from '../../common/errors/problem.js';
import { canonicalAddress, hostAddressFault } from '../../common/network/host-address.js';
import type { SharedAddressListView, SharedAddressView } from './shared-addresses.view.js';

const MAX_ADDRESSES = 1000;

interface Row {
  address: string;
  reason: string;
  markedBy: string;
  markedAt: Date;
}

const COLUMNS = `address, reason, marked_by as "markedBy", marked_at as "markedAt"`;

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
      const rows = await tx.query<Row[]>(
        `select ${COLUMNS} from shared_addresses where tenant_id = $1 order by address limit ${MAX_ADDRESSES}`,
        [tenantId],
      );
      return { items: rows.map(toView) };
    });
  }

  /**
   * Marks an address as shared. Keeps an existing mark.
   * @throws Problem 400; 409 `too_many_shared_addresses`
   */
  mark(caller: Principal, written: string, reason: string): Promise<SharedAddressView> {
    const address = addressOf(written);
    const { tenantId } = caller;
    return this.units.run(tenantId, async (tx) => {
      await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`shared addresses ${tenantId}`]);
      const [known] = await find(tx, tenantId, address);
      if (known) return toView(known);
      const [{ count } = { count: 0 }] = await tx.query<{ count: number }[]>(
        'select count(*)::int as count from shared_addresses where tenant_id = $1',
        [tenantId],
      );
      if (count >= MAX_ADDRESSES)
        throw conflict(
          'too_many_shared_addresses',
          `At most ${MAX_ADDRESSES.toLocaleString('en')} addresses can be shared. Remove one that is no longer used.`,
        );
      await tx.query('insert into shared_addresses (tenant_id, address, reason, marked_by) values ($1, $2, $3, $4)', [
        tenantId,
        address,
        reason,
        caller.name,
      ]);
      const [row] = await find(tx, tenantId, address);
      if (!row) throw new Error('The new shared address could not be read.');
      await this.record(tx, caller, 'shared_address.create', row);
      return toView(row);
    });
  }

  /** @throws Problem 404 */
  unmark(caller: Principal, written: string): Promise<void> {
    if (hostAddressFault(written) !== null) throw notFound();
    const address = canonicalAddress(written);
    return this.units.run(caller.tenantId, async (tx) => {
      const [known] = await find(tx, caller.tenantId, address);
      if (!known) throw notFound();
      await tx.query('delete from shared_addresses where tenant_id = $1 and address = $2', [caller.tenantId, address]);
      await this.record(tx, caller, 'shared_address.delete', known);
    });
  }

  private record(tx: EntityManager, caller: Principal, action: string, { address, reason }: Row): Promise<void> {
    return this.audit.record(tx, caller, {
      action,
      resourceType: 'shared_address',
      resourceName: address,
      after: { address, reason },
    });
  }
}

export async function sharedAmong(
  tx: EntityManager,
  tenantId: string,
  addresses: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ address: string }[]>(
    'select address from shared_addresses where tenant_id = $1 and address = any ($2)',
    [tenantId, addresses],
  );
  return new Set(rows.map(({ address }) => address));
}

const find = (tx: EntityManager, tenantId: string, address: string): Promise<Row[]> =>
  tx.query<Row[]>(`select ${COLUMNS} from shared_addresses where tenant_id = $1 and address = $2`, [tenantId, address]);

/** @throws Problem 400 */
function addressOf(written: string): string {
  const fault = hostAddressFault(written);
  if (fault)
    throw invalidRequest([
      { path: '/address', code: 'invalid_value', message: fault.replace('hostname', 'The address in the path') },
    ]);
  return canonicalAddress(written);
}

const toView = ({ markedAt, ...row }: Row): SharedAddressView => ({ ...row, markedAt: markedAt.toISOString() });
