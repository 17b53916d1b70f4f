import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import { eventually } from './eventually.js';
import type { RunLab } from './run-lab.js';

/** Waits until the run is paused. @throws Error if it ends instead, or after `seconds` */
export async function pausedRun(lab: RunLab, id: string, seconds = 30): Promise<ExecutionView> {
  const { body } = await lab.api.get<ExecutionView>(`/api/executions/${id}?wait=${seconds}&until=settled`);
  if (body.status === 'PAUSED') return body;
  throw new Error(`The run is ${body.status}: ${JSON.stringify(body.statusReason)}`);
}

/** Waits until the run ends, whether or not it pauses. @throws Error after `seconds` */
export const endedRun = (lab: RunLab, id: string, seconds = 30): Promise<ExecutionView> =>
  eventually(
    'the run ends',
    async () => {
      const run = await lab.get(id);
      return run.finished && run;
    },
    seconds * 1000,
  );

/** Oldest first. */
export async function trailOf(lab: RunLab, id: string): Promise<string[]> {
  const rows = await lab.runward.database.query<{ action: string }>(
    'select action from audit_entries where resource_id = $1 order by id',
    [id],
  );
  return rows.map(({ action }) => action);
}

/** Types of the run's events, each with a distinguishing detail, oldest first. */
export async function eventsOf(lab: RunLab, id: string): Promise<string[]> {
  const rows = await lab.runward.database.query<{ type: string; data: Record<string, unknown> }>(
    'select type, data from execution_events where execution_id = $1 order by seq',
    [id],
  );
  return rows.map(({ type, data }) => {
    const detail = data.status ?? data.decision ?? data.action ?? data.pauseReason ?? data.reason;
    return typeof detail === 'string' ? `${type} ${detail}` : type;
  });
}

/** Simulates that the time limit of the run's pause has passed. */
export const overdue = (lab: RunLab, id: string): Promise<unknown> =>
  lab.runward.database.query(`update executions set pause_expires_at = now() - interval '1 second' where id = $1`, [
    id,
  ]);
