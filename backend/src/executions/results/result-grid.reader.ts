import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { ResultGridView } from '../contract/result-grid.view.js';
import type { HostFacts } from '../../inventory/facts/host-facts.js';
import { visibleFactsSql } from '../../inventory/ports/servers.sql.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { type HostRow, selectWorkingHostsSql, toHostAddress } from '../queries/to-execution-view.js';
import { createStepMatcher } from '../steps/step-targets.js';
import { type EqualResults, toResultGrid } from './result-grid.js';

type Row = Omit<HostRow, 'last_step_key'> & { facts: HostFacts | null };

interface DurationRow {
  server_id: string;
  duration_ms: number | null;
}

/** Maximum number of results in an answer. */
const MAX_RESULTS = 300_000;

@Injectable()
export class ResultGridReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
  ) {}

  /**
   * @param limit maximum number of hosts
   * @throws Problem 404 if the run is not visible to the caller
   */
  read(caller: Principal, id: string, fromHost: number, limit = MAX_RESULTS): Promise<ResultGridView> {
    return this.units.read(caller.tenantId, async (tx) => {
      const { snapshot } = await this.executions.getVisibleRun(tx, caller, id);
      const { steps } = snapshot.plan;
      const hostsPerAnswer = Math.min(limit, Math.max(1, Math.floor(MAX_RESULTS / Math.max(1, steps.length))));
      const found = await rows(
        tx,
        sql<Row>`
          select h.server_id, h.ordinal, h.name, h.hostname, h.port, h.tags, coalesce(w.status, h.status) as status, f.facts
            from execution_hosts h
            left join ${selectWorkingHostsSql(sql`${id}::uuid`)} w on w.server_id = h.server_id
            left join ${visibleFactsSql(caller)} f on f.id = h.server_id
            where h.execution_id = ${id} order by h.ordinal offset ${fromHost}::int limit ${hostsPerAnswer + 1}::int`,
      );
      const hosts = found.slice(0, hostsPerAnswer);
      const [first, last] = [hosts.at(0)?.ordinal ?? 0, hosts.at(-1)?.ordinal ?? -1];
      // With the IDs, PostgreSQL reads only the results of a small page.
      const serverIds = hosts.map(({ server_id }) => server_id);
      const durations = await rows(
        tx,
        sql<DurationRow>`
          select server_id, greatest(0, round(sum(extract(epoch from finished_at - started_at)) * 1000))::float8 as duration_ms
            from host_results where execution_id = ${id} and server_id = any(${serverIds}::uuid[]) group by server_id`,
      );
      const durationOf = new Map(durations.map(({ server_id, duration_ms }) => [server_id, duration_ms]));
      const results = await rows(
        tx,
        sql<EqualResults>`
          select r.status, r.exit_code as "exitCode", r.code, r.message, r.attempts, r.changed, r.resolution, r.verdict,
              json_agg(h.ordinal * ${steps.length}::int + r.step_index) as positions
            from host_results r
            join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
            where r.execution_id = ${id} and h.ordinal between ${first}::int and ${last}::int
              and r.server_id = any(${serverIds}::uuid[])
            group by r.status, r.exit_code, r.code, r.message, r.attempts, r.changed, r.resolution, r.verdict`,
      );
      const findTargets = createStepMatcher(steps);
      const grid = toResultGrid(
        steps.map(({ key }) => key),
        hosts.map((host) => ({
          ordinal: host.ordinal,
          serverId: host.server_id,
          serverName: host.name,
          address: toHostAddress(host),
          status: host.status,
          durationMs: durationOf.get(host.server_id) ?? null,
          targetedBy: findTargets(host),
          tags: host.tags,
          facts: toGroupingFacts(host.facts),
        })),
        results,
      );
      return { ...grid, nextHost: found.length > hosts.length ? fromHost + hosts.length : null };
    });
  }
}

/** Facts with few different values, so that an answer has few sets of them. */
const GROUPING_FACTS = ['os', 'osVersion', 'kernel', 'arch', 'init', 'pythonVersion'] as const;

const toGroupingFacts = (facts: HostFacts | null): Record<string, string> =>
  Object.fromEntries(GROUPING_FACTS.flatMap((name) => (facts?.[name] ? [[name, facts[name]]] : [])));
