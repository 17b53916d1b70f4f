import { deletionFault } from '../../host-approval.js';
import type { Server } from '../../server.entity.js';
import type { ImportOrder, PlannedEntry, StoredFault } from '../orders/import-record.js';
import type { KnownServers } from './known-servers.js';

/** What becomes of servers that the source does not name any more. */
export interface Pruning {
  planned: Omit<PlannedEntry, 'position' | 'line'>[];
  disabled: Server[];
  removals: Server[];
  faults: StoredFault[];
}

/** What stays although its source does not name it any more, by ids of servers. */
export interface NeededServers {
  /** In runs that have not finished. */
  open: ReadonlySet<string>;
  /** Others are reached through them. */
  jumps: ReadonlySet<string>;
}

/** @param named ids of the servers that the text names */
export function planPruning(
  order: ImportOrder,
  { ofSource, guards }: KnownServers,
  named: ReadonlySet<string>,
  { open, jumps }: NeededServers,
): Pruning {
  const pruning: Pruning = { planned: [], disabled: [], removals: [], faults: [] };
  const plan = (server: Server, action: PlannedEntry['action'], reason: string | null = null) =>
    pruning.planned.push({ name: server.name, serverId: server.id, action, changes: [], reason });
  const unnamed = ofSource.filter(({ id }) => !named.has(id));
  for (const server of unnamed) {
    const fault = deletionFault(guards.get(server.id), server.name);
    if (order.prune === 'disable') {
      if (!server.enabled) continue;
      plan(server, 'disable');
      pruning.disabled.push(server);
    } else if (open.has(server.id)) {
      plan(server, 'keep', 'A run that targets it has not finished; the next import removes it.');
    } else if (jumps.has(server.id)) {
      plan(server, 'keep', 'Other servers are reached through it. Give them another jump server first.');
    } else if (fault) {
      plan(server, 'keep', fault);
    } else {
      plan(server, 'remove');
      pruning.removals.push(server);
    }
  }
  const taken = pruning.disabled.length + pruning.removals.length;
  if (taken * 100 > order.pruneLimitPercent * ofSource.length)
    pruning.faults.push({
      line: null,
      entry: null,
      code: 'prune_limit',
      message: `The import would ${order.prune} ${taken} of ${ofSource.length} servers of "${order.source ?? ''}", more than the ${order.pruneLimitPercent} % that it allows. If that is meant, raise pruneLimitPercent; else look whether the text is whole.`,
    });
  return pruning;
}
