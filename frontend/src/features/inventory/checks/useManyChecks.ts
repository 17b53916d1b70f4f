import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiProblem, toProblem } from '../../../api/errors';
import { checkedSince, everyServer, requestChecks } from '../../../api/queries/inventory/server-checks';
import { type ServerFilters, showChanged } from '../../../api/queries/inventory/servers';
import type { Server } from '../../../api/types';
import {
  groupsOf,
  isOver,
  type ManyChecks,
  NONE_ASKED,
  withFound,
  withLapsed,
  withRefused,
  withRequested,
} from './many-checks';

const LOOK_MS = 1_500;
/** So much is looked at twice, as what is written first may be seen later. */
const OVERLAP_MS = 5_000;
/** Servers that were deleted while they were asked for, each found by a request of its own. */
const MOST_GONE = 20;

/** Servers that are known, or all that the filters leave. */
export type ToCheck = { servers: readonly Server[] } | { filters: ServerFilters };

/** Has many servers checked by the workers, and follows what they find; the lists show it too. */
export function useManyChecks() {
  const client = useQueryClient();
  const [so, setSo] = useState<ManyChecks | null>(null);
  const [error, setError] = useState<unknown>(null);
  const ended = useRef<AbortController>(null);
  useEffect(() => () => ended.current?.abort(), []);

  const start = useCallback(
    async (what: ToCheck) => {
      ended.current?.abort();
      const controller = new AbortController();
      ended.current = controller;
      const { signal } = controller;
      let now: ManyChecks = NONE_ASKED;
      const tell = (next: ManyChecks) => {
        now = next;
        if (!signal.aborted) setSo(next);
      };
      setError(null);
      tell(now);
      try {
        const servers = 'servers' in what ? what.servers : await everyServer(what.filters, signal);
        const { groups, leftOut } = groupsOf(servers);
        tell({ ...now, leftOut });
        let lapsesAt = '';
        for (const group of groups) {
          const asked = await ask(now, group, signal);
          lapsesAt = asked.lapsesAt ?? lapsesAt;
          tell(asked.so);
        }
        tell({ ...now, asked: true });
        let since = [...now.waiting.values()].sort()[0];
        while (since !== undefined && !isOver(now)) {
          await pause(LOOK_MS, signal);
          if (Date.parse(lapsesAt) < Date.now()) tell(withLapsed(now, servers));
          const found = await checkedSince(since, signal).catch((cause: unknown) => {
            if (signal.aborted || toProblem(cause).status === 401) throw cause;
            return []; // It is looked at again soon.
          });
          showChanged(client, found);
          tell(withFound(now, found));
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
    setSo(null);
    setError(null);
  }, []);
  return { so, error, start, stop };
}

/** Asks for the checks of one group; what stands against it is told of its servers. */
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
      return { so: withRequested(next, servers, answer), lapsesAt: answer.lapsesAt };
    } catch (cause) {
      if (!(cause instanceof ApiProblem) || cause.status === 401) throw cause;
      const at = Number(/^\/ids\/(\d+)$/.exec(cause.errors[0]?.path ?? '')?.[1] ?? Number.NaN);
      const one = servers[at];
      if (cause.status !== 404 || !one || gone >= MOST_GONE) return { so: withRefused(next, servers, cause.message) };
      next = withRefused(next, [one], 'It was deleted, or you may not see it any more.');
      servers = servers.toSpliced(at, 1);
    }
  }
  return { so: next };
}

function later(since: string, newest: string | null | undefined): string {
  const from = newest ? new Date(Date.parse(newest) - OVERLAP_MS).toISOString() : since;
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
