import type { Command } from 'commander';
import { requireAnswer, type Schemas } from '../../client/api.ts';
import { fetchUpTo } from '../../client/pages.ts';
import { collectValues } from '../../names/pairs.ts';
import { findEnvironment } from '../../names/records.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { printList, addLimitOption } from '../limit.ts';

interface Options extends CommonOptions {
  env?: string;
  selector?: string;
  state?: string[];
  search?: string;
  limit: number;
}

export function addServerList(parent: Command, context: Context): void {
  const command = addLimitOption(addSubcommand(parent, 'list', 'List servers by name'))
    .option('--env <environment>', 'only servers of this environment')
    .option('--selector <selector>', 'only the selected servers, such as role=web')
    .option('--state <state>', 'only in this state, such as unreachable; repeatable', collectValues)
    .option('--search <text>', 'only servers with this text in their name or host name');
  addSignedInAction<Options>(context, command, async ({ api, out }, options) => {
    const environmentId = options.env === undefined ? undefined : (await findEnvironment(api, options.env)).id;
    const filters = {
      ...(environmentId ? { environmentId } : {}),
      ...(options.selector ? { selector: options.selector } : {}),
      ...(options.state ? { state: options.state as Schemas['ServerView']['state'][] } : {}),
      ...(options.search ? { q: options.search } : {}),
    };
    const page = await fetchUpTo(options.limit, (query) =>
      requireAnswer(api.GET('/api/inventory/servers', { params: { query: { ...query, ...filters, sort: 'name' } } })),
    );
    printList(out, page, {
      what: 'servers',
      headings: ['name', 'address', 'state', 'checked', 'tags'],
      row: (server) => [
        server.name,
        `${server.username}@${server.hostname}:${server.port}`,
        server.enabled ? server.state : `${server.state} (disabled)`,
        out.time(server.checkedAt),
        Object.entries(server.tags)
          .map(([key, value]) => `${key}=${value}`)
          .join(','),
      ],
      wide: { headings: ['environment', 'id'], row: ({ environmentId, id }) => [environmentId, id] },
    });
  });
}
