import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { rows, type Sql, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { FailureCausesView } from '../contract/failure-causes.view.js';
import { FAILURE_STATUSES } from '../lifecycle/statuses.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { type Failure, FailureGroups } from './failure-causes.js';

/** The last chunks of an output in which the last line of a stream is searched. */
const MAX_TAIL_CHUNKS = 4;
const MAX_TAIL_BYTES = 1_000;
/** Number of failures that are grouped before other requests have their turn: a few ms. */
const SLICE_FAILURES = 200;

/** SQL: end of the stored output of a stream, from the last chunks of both streams. */
export const selectTailSql = (stream: 1 | 2): Sql => sql`(
    select substring(c.data from greatest(1, octet_length(c.data) - ${MAX_TAIL_BYTES - 1}))
      from (select o.stream, o.seq, o.data from output_chunks o
        where o.execution_id = r.execution_id and o.step_index = r.step_index and o.server_id = r.server_id
        order by o.seq desc limit ${MAX_TAIL_CHUNKS}) c
      where c.stream = ${stream} order by c.seq desc limit 1)`;

@Injectable()
export class FailureCausesReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
  ) {}

  /**
   * Results that a person or a check found to be successful are no failures.
   * @throws Problem 404 if the run is not visible to the caller
   */
  read(caller: Principal, id: string): Promise<FailureCausesView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.executions.getVisibleRun(tx, caller, id);
      const failures = await rows(
        tx,
        sql<Failure>`
          select r.step_index as "stepIndex", s.key as "stepKey", r.server_id as "serverId", h.name as "serverName",
              h.hostname, r.status, r.exit_code as "exitCode", r.code, r.message,
              ${selectTailSql(2)} as stderr, ${selectTailSql(1)} as stdout
            from host_results r
            join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
            join execution_steps s on s.execution_id = r.execution_id and s.step_index = r.step_index
            where r.execution_id = ${id} and r.status = any (${[...FAILURE_STATUSES]})
              and (r.resolution is null or r.resolution in ('found_failed', 'marked_failed'))
            order by r.finished_at, h.ordinal, r.step_index`,
      );
      const groups = new FailureGroups();
      for (let at = 0; at < failures.length; at += SLICE_FAILURES) {
        groups.add(failures.slice(at, at + SLICE_FAILURES));
        await setImmediate();
      }
      return groups.toView();
    });
  }
}
