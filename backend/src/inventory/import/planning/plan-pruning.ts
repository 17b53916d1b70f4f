import { findDeletionFault } from '../../host-approval.js';
import type { Server } from '../../fields/server.entity.js';
import type { ImportOrder, PlannedEntry, StoredFault } from '../orders/import-record.js';
import type { KnownServers } from './known-servers.js';

export interface PruningPlan {
  planned: Omit<PlannedEntry, 'position' | 'line'>[];
  disabled: Server[];
  removals: Server[];
  faults: StoredFault[];
}

export interface NeededServers {
  open: ReadonlySet<string>;
  jumps: ReadonlySet<string>;
}

export function planPruning(
  order: ImportOrder,
  { ofSource, guards }: KnownServers,
  named: ReadonlySet<string>,
  { open, jumps }: NeededServers,
): PruningPlan {
  const pruning: PruningPlan = { planned: [], disabled: [], removals: [], faults: [] };
  const plan = (server: Server, action: PlannedEntry['action'], reason: string | null = null) =>
    pruning.planned.push({ name: server.name, serverId: server.id, action, changes: [], reason });
  const unnamedServers = ofSource.filter(({ id }) => !named.has(id));
  for (const server of unnamedServers) {
    const fault = findDeletionFault(guards.get(server.id), server.name);
    if (order.prune === 'disable') {
      if (!server.enabled) continue;
      plan(server, 'disable');
      pruning.disabled.push(server);
    } else if (open.has(server.id)) {
      plan(server, 'keep', 'A run that targets it has not finished. The next import removes it.');
    } else if (jumps.has(server.id)) {
      plan(server, 'keep', 'Other servers are reached through it. Set another jump server for them first.');
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
      message: `The import would ${order.prune} ${taken} of ${ofSource.length} servers of "${order.source ?? ''}", more than the ${order.pruneLimitPercent} % that it allows. If this is intended, raise pruneLimitPercent. Otherwise check that the text is complete.`,
    });
  return pruning;
}
