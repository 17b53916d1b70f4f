import type { Server, ServerState } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { checkStyle, SERVER_STATES } from '../../../ui/status/statuses';

export const MAX_REQUESTED_CHECKS = 1_000;

type RequestedServer = Pick<Server, 'id' | 'name' | 'environmentId' | 'enabled'>;

export interface SkippedServer {
  id: string;
  name: string;
  reason: string;
}

export interface ManyChecks {
  /** Time of the request for each server whose check is requested. */
  waiting: ReadonlyMap<string, string>;
  found: Partial<Record<ServerState, number>>;
  leftOut: SkippedServer[];
  workers: number;
  requested: boolean;
}

export const NO_CHECKS: ManyChecks = { waiting: new Map(), found: {}, leftOut: [], workers: 1, requested: false };

const SWITCHED_OFF_REASON = 'The server is disabled.';

/**
 * Splits servers into requests of one environment each, because missing rights in one environment refuse a whole
 * request.
 */
export function groupsOf<T extends RequestedServer>(
  servers: readonly T[],
): { groups: T[][]; leftOut: SkippedServer[] } {
  const leftOut = servers
    .filter(({ enabled }) => !enabled)
    .map(({ id, name }) => ({ id, name, reason: SWITCHED_OFF_REASON }));
  const byEnvironment = new Map<string, T[]>();
  for (const server of servers.filter(({ enabled }) => enabled)) {
    const group = byEnvironment.get(server.environmentId);
    if (group) group.push(server);
    else byEnvironment.set(server.environmentId, [server]);
  }
  const groups = [...byEnvironment.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / MAX_REQUESTED_CHECKS) }, (_, part) =>
      all.slice(part * MAX_REQUESTED_CHECKS, (part + 1) * MAX_REQUESTED_CHECKS),
    ),
  );
  return { groups, leftOut };
}

export const addRefused = (so: ManyChecks, servers: readonly RequestedServer[], reason: string): ManyChecks => ({
  ...so,
  leftOut: [...so.leftOut, ...servers.map(({ id, name }) => ({ id, name, reason }))],
});

export const addRequested = (
  so: ManyChecks,
  servers: readonly RequestedServer[],
  { requestedAt, workers }: { requestedAt: string; workers: number },
): ManyChecks => ({
  ...so,
  workers,
  waiting: new Map([...so.waiting, ...servers.map(({ id }) => [id, requestedAt] as const)]),
});

export const addLapsed = (so: ManyChecks, servers: readonly RequestedServer[]): ManyChecks =>
  addRefused(
    { ...so, waiting: new Map() },
    servers.filter(({ id }) => so.waiting.has(id)),
    'No worker checked it in time.',
  );

/** Adds new results. @returns the same object if none of the results was expected */
export function addResults(so: ManyChecks, servers: readonly Pick<Server, 'id' | 'state' | 'checkedAt'>[]): ManyChecks {
  const waiting = new Map(so.waiting);
  const found = { ...so.found };
  for (const { id, state, checkedAt } of servers) {
    const since = waiting.get(id);
    if (since === undefined || checkedAt === null || checkedAt <= since) continue;
    waiting.delete(id);
    found[state] = (found[state] ?? 0) + 1;
  }
  return waiting.size === so.waiting.size ? so : { ...so, waiting, found };
}

export const checkedCount = ({ found }: ManyChecks): number =>
  Object.values(found).reduce((sum, count) => sum + count, 0);

export const isOver = ({ requested, waiting }: ManyChecks): boolean => requested && waiting.size === 0;

/** Example: `12 of 260 servers checked: 10 Reachable, 2 Unreachable.` */
export function checksText(so: ManyChecks): string {
  const done = checkedCount(so);
  const all = done + so.waiting.size;
  if (all === 0) return so.requested ? 'No servers to check.' : 'Requesting checks…';
  const states = SERVER_STATES.filter((state) => so.found[state]).map(
    (state) => `${so.found[state]?.toLocaleString('en')} ${checkStyle(state).label}`,
  );
  const summary = states.length > 0 ? `: ${states.join(', ')}` : '';
  return isOver(so)
    ? `${plural(all, 'server')} checked${summary}.`
    : `${done.toLocaleString('en')} of ${plural(all, 'server')} checked${summary}.`;
}
