import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { ExecutionStatus } from '../lifecycle/statuses.js';
import { ExecutionsReader, requireStep } from '../queries/executions.reader.js';
import { type ChunkBatch, type OutputFilters, readChunkBatch } from './chunk-batch.js';

/** Size of the first read, in bytes. It is small, because a page often needs little. */
const FIRST_READ_BYTES = 128 * 1024;
const MAX_READ_BYTES = 1024 * 1024;
/** Large, because most searched chunks do not contain the text and stay in the database. */
const MAX_SEARCHED_BYTES = 2 * 1024 * 1024;

@Injectable()
export class ChunkScan {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
  ) {}

  /**
   * Reads the stored output from chunk `from` on. Each batch has its own transaction, so that others can use the
   * connection in between. The caller may lose a grant meanwhile, so visibility is checked again before each batch.
   *
   * @throws Problem 404 for a run that the caller can't see
   */
  async *readBatches(
    caller: Principal,
    id: string,
    filters: OutputFilters,
    from: number,
  ): AsyncGenerator<ChunkBatch & { status: ExecutionStatus }, undefined, undefined> {
    for (
      let limit = FIRST_READ_BYTES;
      ;
      limit = Math.min(2 * limit, filters.q && !filters.regex ? MAX_SEARCHED_BYTES : MAX_READ_BYTES)
    ) {
      const { status } = await this.executions.getRunState(caller, id);
      const place = { from, max: limit };
      const portion = await this.units.run(caller.tenantId, async (tx) => {
        await requireStep(tx, id, filters.stepKey);
        return readChunkBatch(tx, id, filters, place);
      });
      yield { ...portion, status };
      if (portion.end) return;
      from = portion.next;
    }
  }
}

/** Percentage of the output before chunk `seq`; at most 99, because there is more. */
export function toReadPercent(seq: number, last: number): number {
  const percent = last === 0 ? 0 : Math.floor((100 * (seq - 1)) / last);
  return Math.max(0, Math.min(percent, 99));
}
