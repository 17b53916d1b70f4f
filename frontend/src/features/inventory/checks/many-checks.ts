import type { Server, ServerState } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { checkStyle, SERVER_STATES } from '../../../ui/status/statuses';

/** Most servers in one request. */
export const MOST_ASKED = 1_000;

type Asked = Pick<Server, 'id' | 'name' | 'environmentId' | 'enabled'>;

export interface LeftOut {
  id: string;
  name: string;
  reason: string;
}

/** How far a check of many servers is. */
export interface ManyChecks {
  /** Those that workers were asked for, and that they have not come to: since when. */
  waiting: ReadonlyMap<string, string>;
  /** How many were found in which state. */
  found: Partial<Record<ServerState, number>>;
  leftOut: LeftOut[];
  /** Workers that live. */
  workers: number;
  /** All requests have been sent. */
  asked: boolean;
}

export const NONE_ASKED: ManyChecks = { waiting: new Map(), found: {}, leftOut: [], workers: 1, asked: false };

const SWITCHED_OFF = 'It is switched off.';

/**
 * The requests for checks of these servers: each of servers of one environment, because the rights there decide about
 * all of a request.
 */
export function groupsOf<T extends Asked>(servers: readonly T[]): { groups: T[][]; leftOut: LeftOut[] } {
  const leftOut = servers.filter(({ enabled }) => !enabled).map(({ id, name }) => ({ id, name, reason: SWITCHED_OFF }));
  const byEnvironment = new Map<string, T[]>();
  for (const server of servers.filter(({ enabled }) => enabled)) {
    const group = byEnvironment.get(server.environmentId);
    if (group) group.push(server);
    else byEnvironment.set(server.environmentId, [server]);
  }
  const groups = [...byEnvironment.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / MOST_ASKED) }, (_, part) =>
      all.slice(part * MOST_ASKED, (part + 1) * MOST_ASKED),
    ),
  );
  return { groups, leftOut };
}

export const withRefused = (so: ManyChecks, servers: readonly Asked[], reason: string): ManyChecks => ({
  ...so,
  leftOut: [...so.leftOut, ...servers.map(({ id, name }) => ({ id, name, reason }))],
});

export const withRequested = (
  so: ManyChecks,
  servers: readonly Asked[],
  { requestedAt, workers }: { requestedAt: string; workers: number },
): ManyChecks => ({
  ...so,
  workers,
  waiting: new Map([...so.waiting, ...servers.map(({ id }) => [id, requestedAt] as const)]),
});

/** Nothing is waited for any more. */
export const withLapsed = (so: ManyChecks, servers: readonly Asked[]): ManyChecks =>
  withRefused(
    { ...so, waiting: new Map() },
    servers.filter(({ id }) => so.waiting.has(id)),
    'No worker came to it in time.',
  );

/** Takes what is known of servers by now. @returns the same when nobody waited for one of them */
export function withFound(so: ManyChecks, servers: readonly Pick<Server, 'id' | 'state' | 'checkedAt'>[]): ManyChecks {
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

export const isOver = ({ asked, waiting }: ManyChecks): boolean => asked && waiting.size === 0;

/** How far it is, in a sentence: `12 of 260 servers checked: 10 Reachable, 2 Unreachable.` */
export function checksText(so: ManyChecks): string {
  const done = checkedCount(so);
  const all = done + so.waiting.size;
  if (all === 0) return so.asked ? 'No server is checked.' : 'Asks for the checks.';
  const states = SERVER_STATES.filter((state) => so.found[state]).map(
    (state) => `${so.found[state]?.toLocaleString('en')} ${checkStyle(state).label}`,
  );
  const told = states.length > 0 ? `: ${states.join(', ')}` : '';
  return isOver(so)
    ? `${plural(all, 'server')} checked${told}.`
    : `${done.toLocaleString('en')} of ${plural(all, 'server')} checked${told}.`;
}
