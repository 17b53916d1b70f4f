import { lookup as systemLookup } from 'node:dns/promises';
import type { Lookup } from '../../common/network/outgoing-addresses.js';
import { RoundRobin } from '../../common/round-robin.js';

/** Each takes one of the process' few threads until it ends, and others need those too. */
const AT_ONCE = 2;
/** Lookups of one tenant that wait; whoever asks for more is told that the name was not found. */
const MOST_WAITING = 100;

interface Waiting {
  host: string;
  resolve(found: readonly { address: string }[]): void;
  reject(error: unknown): void;
}

/**
 * Looks names up for tenants by turns, each tenant's one at a time: a name whose servers do not answer holds up those of
 * its own tenant only.
 */
export class FairLookups {
  private readonly waiting = new RoundRobin<Waiting>();
  private readonly busy = new Set<string>();

  constructor(private readonly lookup: Lookup = (host) => systemLookup(host, { all: true, verbatim: true })) {}

  of(tenantId: string): Lookup {
    return (host) =>
      new Promise((resolve, reject) => {
        if (this.waiting.countOf(tenantId) >= MOST_WAITING) return reject(new Error('Too many names are looked up.'));
        this.waiting.add(tenantId, { host, resolve, reject });
        this.next();
      });
  }

  private next(): void {
    if (this.busy.size >= AT_ONCE) return;
    const taken = this.waiting.take((tenantId) => !this.busy.has(tenantId));
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
