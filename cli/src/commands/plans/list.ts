import type { Command } from 'commander';
import { requireAnswer } from '../../client/api.ts';
import { fetchUpTo } from '../../client/pages.ts';
import { findEnvironment } from '../../names/records.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { printList, addLimitOption } from '../limit.ts';

interface Options extends CommonOptions {
  env?: string;
  search?: string;
  limit: number;
}

export function addPlanList(parent: Command, context: Context): void {
  const command = addLimitOption(addSubcommand(parent, 'list', 'List plans by name'))
    .option('--env <environment>', 'only plans bound to this environment')
    .option('--search <text>', 'only plans with this text in their name');
  addSignedInAction<Options>(context, command, async ({ api, out }, { env, search, limit }) => {
    const environmentId = env === undefined ? undefined : (await findEnvironment(api, env)).id;
    const filters = { ...(environmentId ? { environmentId } : {}), ...(search ? { q: search } : {}) };
    const page = await fetchUpTo(limit, (query) =>
      requireAnswer(api.GET('/api/plans', { params: { query: { ...query, ...filters, sort: 'name' } } })),
    );
    printList(out, page, {
      what: 'plans',
      headings: ['name', 'revision', 'changed'],
      row: ({ name, revision, updatedAt }) => [name, String(revision), out.time(updatedAt)],
      wide: { headings: ['description', 'id'], row: ({ description, id }) => [description, id] },
    });
  });
}
