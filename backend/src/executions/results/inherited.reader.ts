import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { invalidRequest } from '../../common/errors/problem.js';
import { decodeCursor, encodeCursor } from '../../common/http/paging/cursor.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import type { PageQuery } from '../../common/http/paging/page.dto.js';
import { isId } from '../../common/ids.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import type { InheritedResultView } from '../contract/inherited.view.js';

type Row = InheritedResultView & { step: number };

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

@Injectable()
export class InheritedReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
  ) {}

  /** @throws Problem 404 if the run is not visible to the caller */
  list(caller: Principal, id: string, query: PageQuery): Promise<Page<InheritedResultView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const [afterStep, afterServer] = parseCursor(query.cursor);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.executions.getVisibleRun(tx, caller, id);
      const found = await rows(
        tx,
        sql<Row>`select i.step_index as step, s.key as "stepKey", i.server_id as "serverId", h.name as "serverName", i.status, i.changed,
            i.exit_code as "exitCode", i.outputs, i.done, i.from_execution_id as "executionId"
          from inherited_results i
          join execution_steps s on s.execution_id = i.execution_id and s.step_index = i.step_index
          join execution_hosts h on h.execution_id = i.from_execution_id and h.server_id = i.server_id
          where i.execution_id = ${id} and (i.step_index, i.server_id) > (${afterStep}, ${afterServer}::uuid)
          order by i.step_index, i.server_id limit ${limit + 1}`,
      );
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(({ step: _, ...result }) => result),
        nextCursor: found.length > limit && last ? encodeCursor([last.step, last.serverId]) : null,
      };
    });
  }
}

function parseCursor(cursor: string | undefined): [number, string] {
  if (cursor === undefined) return [-1, NIL_UUID];
  const [step, server] = decodeCursor(cursor) ?? [];
  if (
    typeof step === 'number' &&
    Number.isInteger(step) &&
    step >= 0 &&
    step < 1000 &&
    typeof server === 'string' &&
    isId(server)
  )
    return [step, server];
  throw invalidRequest([
    {
      path: '?cursor',
      code: 'invalid_cursor',
      message: 'cursor must be the unchanged nextCursor of the previous page.',
    },
  ]);
}
