import type { Command } from 'commander';
import { requireAnswer } from '../../client/api.ts';
import { fetchUpTo } from '../../client/pages.ts';
import { toShortId } from '../../names/short-id.ts';
import { collectValues, formatPairs, parsePair } from '../../names/pairs.ts';
import { findEnvironment, findPlan } from '../../names/records.ts';
import type { RunStatus } from '../../runs/run.ts';
import { parseTime } from '../../terminal/times.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { printList, addLimitOption } from '../limit.ts';
import { type Mode, createModeOption } from './start.ts';

interface Options extends CommonOptions {
  plan?: string;
  env?: string;
  status?: string[];
  mode?: Mode;
  label?: string[];
  waiting?: boolean;
  search?: string;
  from?: string;
  to?: string;
  finishedFrom?: string;
  finishedTo?: string;
  updatedFrom?: string;
  limit: number;
}

export function addRunList(parent: Command, context: Context): void {
  const command = addLimitOption(addSubcommand(parent, 'list', 'List runs, newest first'))
    .option('--plan <plan>', 'only runs of this plan')
    .option('--env <environment>', 'only runs in this environment')
    .option('--status <status>', 'only runs with this status, such as RUNNING; repeatable', collectValues)
    .addOption(createModeOption())
    .option('--label <key=value>', 'only runs with this label; repeatable', collectValues)
    .option('--waiting', 'only runs that wait for your action')
    .option(
      '--search <text>',
      'only runs with this text in their plan name, note or labels, or with this end of the id',
    )
    .option('--from <time>', 'only runs started at or after this time, or since a duration such as 2h')
    .option('--to <time>', 'only runs started before this time')
    .option('--finished-from <time>', 'only runs finished at or after this time')
    .option('--finished-to <time>', 'only runs finished before this time')
    .option('--updated-from <time>', 'only runs that changed at or after this time');
  addSignedInAction<Options>(context, command, async ({ api, out }, options) => {
    for (const label of options.label ?? []) parsePair(label, '--label');
    const planId = options.plan === undefined ? undefined : (await findPlan(api, options.plan)).id;
    const environmentId = options.env === undefined ? undefined : (await findEnvironment(api, options.env)).id;
    const filters = {
      ...(planId ? { planId } : {}),
      ...(environmentId ? { environmentId } : {}),
      ...(options.status ? { status: options.status.map((word) => word.toUpperCase() as RunStatus) } : {}),
      ...(options.mode ? { execution_mode: options.mode } : {}),
      ...(options.label ? { label: options.label } : {}),
      ...(options.waiting ? { awaiting: 'me' as const } : {}),
      ...(options.search ? { q: options.search } : {}),
      ...toTimeFilters(options),
    };
    const page = await fetchUpTo(options.limit, (query) =>
      requireAnswer(api.GET('/api/executions', { params: { query: { ...query, ...filters } } })),
    );
    printList(out, page, {
      what: 'runs',
      headings: ['run', 'status', 'plan', 'environment', 'mode', 'started', 'by'],
      row: (run) => [
        out.format === 'wide' ? run.id : toShortId(run.id),
        run.pauseReason === null ? run.status : `${run.status} (${run.pauseReason})`,
        run.planName,
        run.environmentName,
        run.execution_mode,
        out.time(run.createdAt),
        run.startedBy.name,
      ],
      wide: {
        headings: ['finished', 'labels', 'note'],
        row: ({ finishedAt, labels, note }) => [out.time(finishedAt), formatPairs(labels), note],
      },
    });
  });
}

const TIME_FILTERS = ['from', 'to', 'finishedFrom', 'finishedTo', 'updatedFrom'] as const;

const toTimeFilters = (options: Options): Partial<Record<(typeof TIME_FILTERS)[number], string>> =>
  Object.fromEntries(
    TIME_FILTERS.flatMap((name) => {
      const text = options[name];
      return text === undefined ? [] : [[name, parseTime(text, -1)]];
    }),
  );
