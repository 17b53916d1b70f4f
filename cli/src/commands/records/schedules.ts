import type { Command } from 'commander';
import { requireAnswer, type Schemas } from '../../client/api.ts';
import { fetchUpTo } from '../../client/pages.ts';
import { formatPairs } from '../../names/pairs.ts';
import { findPlan, findSchedule } from '../../names/records.ts';
import { formatDuration } from '../../terminal/durations.ts';
import { formatTimeWithAge } from '../../terminal/times.ts';
import { addFormatOption, addSignedInAction, addSubcommand, type Context } from '../command.ts';
import { addLimitOption, type ListOptions, printList, printRecord } from '../limit.ts';

type Times = Pick<Schemas['ScheduleView'], 'cron' | 'everySeconds' | 'timeZone'>;

const formatTimes = ({ cron, everySeconds, timeZone }: Times): string =>
  cron === null ? `every ${formatDuration((everySeconds ?? 0) * 1000)}` : `${cron} (${timeZone})`;

export function addSchedules(program: Command, context: Context): void {
  const group = program.command('schedule').description('Show schedules');
  const list = addLimitOption(addSubcommand(group, 'list', 'List schedules by name'))
    .option('--plan <plan>', 'only schedules of this plan')
    .option('--search <text>', 'only schedules with this text in their name');
  addSignedInAction<ListOptions & { plan?: string }>(context, list, async ({ api, out }, { plan, search, limit }) => {
    const planId = plan === undefined ? undefined : (await findPlan(api, plan)).id;
    const filters = { sort: 'name' as const, ...(planId ? { planId } : {}), ...(search ? { q: search } : {}) };
    const page = await fetchUpTo(limit, (query) =>
      requireAnswer(api.GET('/api/schedules', { params: { query: { ...query, ...filters } } })),
    );
    printList(out, page, {
      what: 'schedules',
      headings: ['name', 'plan', 'environment', 'times', 'next', 'enabled'],
      row: (each) => [
        each.name,
        each.planName,
        each.environmentName,
        formatTimes(each),
        out.time(each.nextAt),
        each.enabled ? 'yes' : 'no',
      ],
      wide: {
        headings: ['mode', 'owner', 'id'],
        row: (each) => [each.execution_mode, each.owner?.name ?? null, each.id],
      },
    });
  });

  const show = addFormatOption(addSubcommand(group, 'show', 'Show a schedule and its next times')).argument(
    '<schedule>',
    'name or id',
  );
  addSignedInAction(context, show, async ({ api, out }, _, argument) => {
    const { id } = await findSchedule(api, argument);
    const found = await requireAnswer(api.GET('/api/schedules/{id}', { params: { path: { id } } }));
    printRecord(out, found, () =>
      out.facts([
        ['Name', found.name],
        ['Id', found.id],
        ['Plan', found.planName],
        ['Environment', found.environmentName],
        ['Targets', found.targets || null],
        ['Mode', found.execution_mode],
        ['Times', formatTimes(found)],
        ['Enabled', found.enabled ? 'yes' : 'no'],
        ['Next', found.nextTimes.map((at) => formatTimeWithAge(at)).join(', ') || 'none'],
        ['On overlap', found.onOverlap],
        ['On missed', found.onMissed],
        ['Owner', found.owner?.name ?? null],
        ['Labels', formatPairs(found.labels) || null],
        ['Note', found.note],
      ]),
    );
  });
}
