import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupAddresses } from '../../common/network/outgoing-addresses.js';
import { RoundRobin } from '../../common/fairness/round-robin.js';

/** Maximum number of lookups. Each blocks one of the 4 threads in libuv's pool, which other work needs too. */
const AT_ONCE = 2;
/** Maximum number of waiting lookups per tenant. Further lookups fail. */
const MAX_WAITING_LOOKUPS = 100;

interface Waiting {
  host: string;
  resolve(found: readonly { address: string }[]): void;
  reject(error: unknown): void;
}

/**
 * Resolves host names, one at a time per tenant; tenants take turns. So a name server that does not respond delays only
 * its tenant.
 */
export class FairLookups {
  private readonly waiting = new RoundRobin<Waiting>();
  private readonly busy = new Set<string>();

  constructor(private readonly lookup: LookupAddresses = (host) => systemLookup(host, { all: true, verbatim: true })) {}

  of(tenantId: string): LookupAddresses {
    return (host) =>
      new Promise((resolve, reject) => {
        if (this.waiting.countOf(tenantId) >= MAX_WAITING_LOOKUPS)
          return reject(new Error('Too many name lookups are in progress.'));
        this.waiting.add(tenantId, { host, resolve, reject });
        this.next();
      });
  }

  private next(): void {
    if (this.busy.size >= AT_ONCE) return;
    const taken = this.waiting.takeNext((tenantId) => !this.busy.has(tenantId));
    if (!taken) return;
    const { key, item } = taken;
    this.busy.add(key);
    this.lookup(item.host)
      .then(
        (addresses) => item.resolve(addresses),
        (error: unknown) => item.reject(error),
      )
      .finally(() => {
        this.busy.delete(key);
        this.next();
      });
    this.next();
  }
}
