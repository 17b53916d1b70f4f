import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { ResultGridView } from '../contract/result-grid.view.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { type HostRow, selectWorkingHostsSql, toHostAddress } from '../queries/to-execution-view.js';
import { createStepMatcher } from '../steps/step-targets.js';
import { toResultGrid } from './result-grid.js';

type Row = Omit<HostRow, 'ordinal' | 'last_step_key'> & {
  steps: number[] | null;
  values: string[] | null;
};

@Injectable()
export class ResultGridReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
  ) {}

  /** @throws Problem 404 if the run is not visible to the caller */
  read(caller: Principal, id: string): Promise<ResultGridView> {
    return this.units.read(caller.tenantId, async (tx) => {
      const { snapshot } = await this.executions.getVisibleRun(tx, caller, id);
      const hosts = await rows(
        tx,
        sql<Row>`
          select h.server_id, h.name, h.hostname, h.port, h.tags, coalesce(w.status, h.status) as status, r.steps, r.values
            from execution_hosts h
            left join ${selectWorkingHostsSql(sql`${id}::uuid`)} w on w.server_id = h.server_id
            left join (
              select server_id, array_agg(step_index order by step_index) as steps,
                  array_agg(json_build_array(status, exit_code, code, message, attempts, changed, resolution, verdict)::text
                    order by step_index) as values
                from host_results where execution_id = ${id} group by server_id) r on r.server_id = h.server_id
            where h.execution_id = ${id} order by h.ordinal`,
      );
      const { steps } = snapshot.plan;
      const findTargets = createStepMatcher(steps);
      return toResultGrid(
        steps.map(({ key }) => key),
        hosts.map((host) => ({
          serverId: host.server_id,
          serverName: host.name,
          address: toHostAddress(host),
          status: host.status,
          targetedBy: findTargets(host),
          steps: host.steps ?? [],
          values: host.values ?? [],
        })),
      );
    });
  }
}
