import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import { eventually } from './eventually.js';
import type { RunLab } from './run-lab.js';

/** The run when it waits for a person. @throws Error when it ended instead, or goes on after `seconds` */
export async function pausedRun(lab: RunLab, id: string, seconds = 30): Promise<ExecutionView> {
  const { body } = await lab.api.get<ExecutionView>(`/api/executions/${id}?wait=${seconds}&until=settled`);
  if (body.status === 'PAUSED') return body;
  throw new Error(`The run is ${body.status}: ${JSON.stringify(body.statusReason)}`);
}

/** The run when it is finished, however long it pauses before. @throws Error when it isn't within `seconds` */
export const endedRun = (lab: RunLab, id: string, seconds = 30): Promise<ExecutionView> =>
  eventually(
    'the run ends',
    async () => {
      const run = await lab.get(id);
      return run.finished && run;
    },
    seconds * 1000,
  );

/** Actions in the audit trail of the run, oldest first. */
export async function trailOf(lab: RunLab, id: string): Promise<string[]> {
  const rows = await lab.runward.database.query<{ action: string }>(
    'select action from audit_entries where resource_id = $1 order by id',
    [id],
  );
  return rows.map(({ action }) => action);
}

/** Types of the run's events, each with what tells it from others of its type, oldest first. */
export async function eventsOf(lab: RunLab, id: string): Promise<string[]> {
  const rows = await lab.runward.database.query<{ type: string; data: Record<string, unknown> }>(
    'select type, data from execution_events where execution_id = $1 order by seq',
    [id],
  );
  return rows.map(({ type, data }) => {
    const detail = data.status ?? data.decision ?? data.action ?? data.reason;
    return typeof detail === 'string' ? `${type} ${detail}` : type;
  });
}

/** Moves the end of the run's pause into the past. */
export const overdue = (lab: RunLab, id: string): Promise<unknown> =>
  lab.runward.database.query(`update executions set pause_expires_at = now() - interval '1 second' where id = $1`, [
    id,
  ]);
