import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { TenantSlots } from './tenant-slots.js';

describe('a fair queue', () => {
  it('takes from tenants in turn, regardless of queue lengths', () => {
    const queue = new TenantSlots<string>({ places: 1, perTenant: 1 });
    for (const job of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) queue.add(job.charAt(0), job);
    const order: string[] = [];
    for (let job = queue.take(); job; job = queue.take()) {
      order.push(job);
      queue.releaseSlot(job.charAt(0));
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('keeps a slot for other tenants even if only one tenant has jobs', () => {
    const queue = new TenantSlots<string>({ places: 2, perTenant: 1 });
    queue.add('a', 'a1');
    queue.add('a', 'a2');
    expect([queue.take(), queue.take()]).toEqual(['a1', undefined]);
    queue.add('b', 'b1');
    expect(queue.take()).toBe('b1');
    queue.releaseSlot('a');
    expect(queue.take()).toBe('a2');
  });

  it('respects its limits and loses no job, for any order of calls', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const random = seededRandom(seed);
      const queue = new TenantSlots<string>({ places: 3, perTenant: 2 });
      const waiting = new Set<string>();
      const running: string[] = [];
      for (let step = 0; step < 300; step += 1) {
        const tenant = String(random.int(5));
        const [job] = running;
        const what = random.int(4);
        if (what === 0) {
          queue.add(tenant, `${tenant} ${step}`);
          waiting.add(`${tenant} ${step}`);
        } else if (what === 1) {
          const [first] = waiting;
          if (first) expect(queue.remove(first.charAt(0), first)).toBe(waiting.delete(first));
          expect(queue.remove(tenant, 'none')).toBe(false);
        } else if (what === 2 && job) {
          queue.releaseSlot(job.charAt(0));
          running.shift();
        } else {
          const taken = queue.take();
          if (taken === undefined) continue;
          expect(waiting.delete(taken)).toBe(true);
          running.push(taken);
        }
        expect(running.length).toBeLessThanOrEqual(3);
        for (let each = 0; each < 5; each += 1) {
          const own = (name: string) => name.startsWith(`${each} `);
          expect(running.filter(own).length).toBeLessThanOrEqual(2);
          expect(queue.countWaiting(String(each))).toBe([...waiting].filter(own).length);
        }
      }
      expect(new Set(queue.clear())).toEqual(waiting);
    }
  });
});
