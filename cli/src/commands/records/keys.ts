import type { Command } from 'commander';
import { requireAnswer } from '../../client/api.ts';
import { fetchUpTo } from '../../client/pages.ts';
import { findSshKey } from '../../names/records.ts';
import { formatTimeWithAge } from '../../terminal/times.ts';
import { addFormatOption, addSignedInAction, addSubcommand, type Context } from '../command.ts';
import { addLimitOption, type ListOptions, printList, printRecord } from '../limit.ts';

export function addKeys(program: Command, context: Context): void {
  const group = program.command('key').description('Show SSH keys');
  const list = addLimitOption(addSubcommand(group, 'list', 'List SSH keys by name')).option(
    '--search <text>',
    'only keys with this text in their name',
  );
  addSignedInAction<ListOptions>(context, list, async ({ api, out }, { search, limit }) => {
    const filters = { sort: 'name' as const, ...(search ? { q: search } : {}) };
    const page = await fetchUpTo(limit, (query) =>
      requireAnswer(api.GET('/api/ssh-keys', { params: { query: { ...query, ...filters } } })),
    );
    printList(out, page, {
      what: 'SSH keys',
      headings: ['name', 'type', 'servers', 'used'],
      row: (key) => [key.name, key.type, String(key.usedByCount), out.time(key.lastUsedAt)],
      wide: { headings: ['fingerprint', 'id'], row: ({ fingerprint, id }) => [fingerprint, id] },
    });
  });

  const show = addFormatOption(addSubcommand(group, 'show', 'Show an SSH key')).argument('<key>', 'name or id');
  addSignedInAction(context, show, async ({ api, out }, _, argument) => {
    const { id } = await findSshKey(api, argument);
    const key = await requireAnswer(api.GET('/api/ssh-keys/{id}', { params: { path: { id } } }));
    printRecord(out, key, () =>
      out.facts([
        ['Name', key.name],
        ['Id', key.id],
        ['Type', key.type],
        ['Fingerprint', key.fingerprint],
        ['Public key', key.publicKey],
        ['Servers', String(key.usedByCount)],
        ['Used', key.lastUsedAt === null ? 'never' : formatTimeWithAge(key.lastUsedAt)],
        ['Changed', formatTimeWithAge(key.updatedAt)],
      ]),
    );
  });
}
