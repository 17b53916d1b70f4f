import type { ScheduleFireListView, ScheduleFireView } from '../../src/schedules/schedules.view.js';
import { eventually } from './eventually.js';
import type { RunLab } from './run-lab.js';

let times = 0;

export const listFires = async ({ api }: Pick<RunLab, 'api'>, id: string): Promise<ScheduleFireView[]> =>
  (await api.get<ScheduleFireListView>(`/api/schedules/${id}/fires`)).body.items;

/** Returns the outcome of a schedule that was due `seconds` ago. Each call needs another time. A worker must run. */
export async function firedSchedule(
  lab: Pick<RunLab, 'api' | 'runward'>,
  id: string,
  secondsAgo = 100,
): Promise<ScheduleFireView> {
  const [before] = await listFires(lab, id);
  times += 1;
  await lab.runward.database.query(
    `update schedules set (next_at, due_at) = (select t.at, t.at from (
        select date_trunc('second', now()) - make_interval(secs => $2) as at) t) where id = $1`,
    [id, secondsAgo - times],
  );
  return eventually('the schedule fires', async () => {
    const [first] = await listFires(lab, id);
    return first?.id !== before?.id && first;
  });
}
