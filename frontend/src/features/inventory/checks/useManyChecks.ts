import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiProblem, toProblem } from '../../../api/errors';
import { checkedSince, fetchAllServers, requestChecks } from '../../../api/queries/inventory/server-checks';
import { type ServerFilters, updateCachedServers } from '../../../api/queries/inventory/servers';
import type { Server } from '../../../api/types';
import {
  groupsOf,
  isOver,
  type ManyChecks,
  NO_CHECKS,
  addResults,
  addLapsed,
  addRefused,
  addRequested,
} from './many-checks';

const POLL_MS = 1_500;
/** Overlap of two polls in ms: transactions may become visible in another order than their times. */
const OVERLAP_MS = 5_000;
/** Maximum number of deleted servers to skip. Each of them costs one refused request. */
const MAX_MISSING_SERVERS = 20;

/** Servers to check: loaded servers, or all servers that match the filters. */
export type ToCheck = { servers: readonly Server[] } | { filters: ServerFilters };

export function useManyChecks() {
  const client = useQueryClient();
  const [so, setChecks] = useState<ManyChecks | null>(null);
  const [error, setError] = useState<unknown>(null);
  const ended = useRef<AbortController>(null);
  useEffect(() => () => ended.current?.abort(), []);

  const start = useCallback(
    async (what: ToCheck) => {
      ended.current?.abort();
      const controller = new AbortController();
      ended.current = controller;
      const { signal } = controller;
      let now: ManyChecks = NO_CHECKS;
      const tell = (next: ManyChecks) => {
        now = next;
        if (!signal.aborted) setChecks(next);
      };
      setError(null);
      tell(now);
      try {
        const servers = 'servers' in what ? what.servers : await fetchAllServers(what.filters, signal);
        const { groups, leftOut } = groupsOf(servers);
        tell({ ...now, leftOut });
        let expiresAt = '';
        for (const group of groups) {
          const requested = await ask(now, group, signal);
          expiresAt = requested.lapsesAt ?? expiresAt;
          tell(requested.so);
        }
        tell({ ...now, requested: true });
        let since = [...now.waiting.values()].sort()[0];
        while (since !== undefined && !isOver(now)) {
          await pause(POLL_MS, signal);
          if (Date.parse(expiresAt) < Date.now()) tell(addLapsed(now, servers));
          const found = await checkedSince(since, signal).catch((cause: unknown) => {
            if (signal.aborted || toProblem(cause).status === 401) throw cause;
            return []; // The next poll follows soon, so an error is ignored.
          });
          updateCachedServers(client, found);
          tell(addResults(now, found));
          since = later(since, found[0]?.checkedAt);
        }
      } catch (cause) {
        if (!signal.aborted) setError(cause);
      }
    },
    [client],
  );
  const stop = useCallback(() => {
    ended.current?.abort();
    setChecks(null);
    setError(null);
  }, []);
  return { so, error, start, stop };
}

/** Requests checks of one group. A refusal is reported for the servers of the group. */
async function ask(
  so: ManyChecks,
  group: readonly Server[],
  signal: AbortSignal,
): Promise<{ so: ManyChecks; lapsesAt?: string }> {
  let [servers, next] = [group, so];
  for (let gone = 0; servers.length > 0; gone += 1) {
    try {
      const answer = await requestChecks(
        servers.map(({ id }) => id),
        signal,
      );
      return { so: addRequested(next, servers, answer), lapsesAt: answer.lapsesAt };
    } catch (cause) {
      if (!(cause instanceof ApiProblem) || cause.status === 401) throw cause;
      const at = Number(/^\/ids\/(\d+)$/.exec(cause.errors[0]?.path ?? '')?.[1] ?? Number.NaN);
      const one = servers[at];
      if (cause.status !== 404 || !one || gone >= MAX_MISSING_SERVERS)
        return { so: addRefused(next, servers, cause.message) };
      next = addRefused(next, [one], 'The server was deleted or is no longer visible to you.');
      servers = servers.toSpliced(at, 1);
    }
  }
  return { so: next };
}

function later(since: string, latestRun: string | null | undefined): string {
  const from = latestRun ? new Date(Date.parse(latestRun) - OVERLAP_MS).toISOString() : since;
  return from > since ? from : since;
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done, failed) => {
    const timer = window.setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer);
      failed(new DOMException('Stopped', 'AbortError'));
    });
  });
