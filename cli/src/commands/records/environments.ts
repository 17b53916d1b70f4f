import type { Command } from 'commander';
import { requireAnswer } from '../../client/api.ts';
import { fetchUpTo } from '../../client/pages.ts';
import { findEnvironment } from '../../names/records.ts';
import { formatTimeWithAge } from '../../terminal/times.ts';
import { addFormatOption, addSignedInAction, addSubcommand, type Context } from '../command.ts';
import { addLimitOption, type ListOptions, printList, printRecord } from '../limit.ts';

export function addEnvironments(program: Command, context: Context): void {
  const group = program.command('environment').description('Show environments and their protection');
  const list = addLimitOption(addSubcommand(group, 'list', 'List environments by name')).option(
    '--search <text>',
    'only environments with this text in their name',
  );
  addSignedInAction<ListOptions>(context, list, async ({ api, out }, { search, limit }) => {
    const filters = { sort: 'name' as const, ...(search ? { q: search } : {}) };
    const page = await fetchUpTo(limit, (query) =>
      requireAnswer(api.GET('/api/environments', { params: { query: { ...query, ...filters } } })),
    );
    printList(out, page, {
      what: 'environments',
      headings: ['name', 'protected', 'approvals', 'access', 'grant'],
      row: (each) => [
        each.name,
        each.protected ? 'yes' : 'no',
        each.protected ? String(each.requiredApprovals) : null,
        each.access,
        each.currentUserGrant,
      ],
      wide: {
        headings: ['modes', 'changed', 'id'],
        row: ({ allowedModes, updatedAt, id }) => [allowedModes.join(',') || null, out.time(updatedAt), id],
      },
    });
  });

  const show = addFormatOption(addSubcommand(group, 'show', 'Show an environment')).argument(
    '<environment>',
    'name or id',
  );
  addSignedInAction(context, show, async ({ api, out }, _, argument) => {
    const found = await findEnvironment(api, argument);
    printRecord(out, found, () =>
      out.facts([
        ['Name', found.name],
        ['Id', found.id],
        ['Description', found.description || null],
        ['Access', found.access],
        ['Your grant', found.currentUserGrant],
        ['Protected', found.protected ? `yes, ${found.requiredApprovals} approvals needed` : 'no'],
        ['Self-approval', found.protected ? (found.allowSelfApproval ? 'allowed' : 'not allowed') : null],
        ['Modes', found.allowedModes.join(', ') || 'all'],
        ['Runs may begin', found.runWindowState === null ? null : found.runWindowState.open ? 'now' : 'not now'],
        ['Changed', formatTimeWithAge(found.updatedAt)],
      ]),
    );
  });
}
