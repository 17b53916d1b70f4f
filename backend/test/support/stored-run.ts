import type { RunLab } from './run-lab.js';

export const storedRun = (lab: RunLab, id: string): Promise<unknown[][]> =>
  Promise.all(
    [
      'select status, owner, epoch, event_seq, chunk_seq, flush_seq, version from executions where id = $1',
      'select * from execution_steps where execution_id = $1 order by step_index',
      'select * from host_results where execution_id = $1 order by step_index, server_id',
      'select seq from output_chunks where execution_id = $1 order by seq',
      'select dispatch_id from dispatches where execution_id = $1 order by dispatch_id',
    ].map((sql) => lab.runward.database.query(sql, [id])),
  );
