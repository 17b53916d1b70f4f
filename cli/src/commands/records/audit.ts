import type { Command } from 'commander';
import { requireAnswer, type Schemas } from '../../client/api.ts';
import { fetchUpTo } from '../../client/pages.ts';
import type { Session } from '../../client/session.ts';
import { isId } from '../../names/find.ts';
import { formatTimeWithAge, parseTime } from '../../terminal/times.ts';
import { EXIT } from '../../terminal/exit-codes.ts';
import { createFailure, usage } from '../../terminal/failure.ts';
import { addFormatOption, addSignedInAction, addSubcommand, type Context } from '../command.ts';
import { addLimitOption, type ListOptions, printList, printRecord } from '../limit.ts';

type Entry = Schemas['AuditLogView'];

interface Options extends ListOptions {
  action?: string;
  from?: string;
  to?: string;
}

export function addAudit(program: Command, context: Context): void {
  const group = program.command('audit').description('Show the audit trail (admins)');
  const list = addLimitOption(addSubcommand(group, 'list', 'List audit entries, newest first'))
    .option('--action <action>', 'only this action, such as plan.update')
    .option('--from <time>', 'only entries at or after this time')
    .option('--to <time>', 'only entries before this time');
  addSignedInAction<Options>(context, list, async ({ api, out }, { action, from, to, limit }) => {
    const filters = {
      ...(action ? { action } : {}),
      ...(from ? { from: parseTime(from, -1) } : {}),
      ...(to ? { to: parseTime(to, -1) } : {}),
    };
    const page = await fetchUpTo(limit, (query) =>
      requireAnswer(api.GET('/api/audit-logs', { params: { query: { ...query, ...filters } } })),
    );
    printList(out, page, {
      what: 'audit entries',
      headings: ['at', 'action', 'resource', 'actor'],
      row: ({ at, action: done, resourceType, resourceName, actor }) => [
        out.time(at),
        done,
        resourceName === null ? resourceType : `${resourceType} ${resourceName}`,
        actor.name,
      ],
      wide: { headings: ['resource id', 'id'], row: ({ resourceId, id }) => [resourceId, id] },
    });
  });

  const show = addFormatOption(addSubcommand(group, 'show', 'Show an audit entry and its change')).argument(
    '<entry>',
    'id',
  );
  addSignedInAction(context, show, async (session, _, argument) => {
    const { out } = session;
    const entry = await readEntry(session, argument);
    printRecord(out, entry, () => {
      out.facts([
        ['Id', entry.id],
        ['Number', String(entry.sequence)],
        ['At', formatTimeWithAge(entry.at)],
        ['Action', entry.action],
        ['Actor', entry.actor.name],
        ['Resource', [entry.resourceType, entry.resourceName, entry.resourceId].filter(Boolean).join(' ')],
        ['Request', entry.requestId],
        ['Hash', entry.hash],
        ['Before', entry.before === null ? null : JSON.stringify(entry.before)],
        ['After', entry.after === null ? null : JSON.stringify(entry.after)],
      ]);
    });
  });
}

/** Finds an entry by the time in its ID, because the API has no request for one entry. */
async function readEntry({ api }: Session, id: string): Promise<Entry> {
  if (!isId(id)) throw usage(`"${id}" is not the id of an audit entry. \`runward audit list -o wide\` shows ids.`);
  const createdMs = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  const query = { from: new Date(createdMs - 1000).toISOString(), to: new Date(createdMs + 1000).toISOString() };
  const { items } = await fetchUpTo(10_000, (page) =>
    requireAnswer(api.GET('/api/audit-logs', { params: { query: { ...page, ...query } } })),
  );
  const entry = items.find((each) => each.id === id.toLowerCase());
  if (entry === undefined)
    throw createFailure('unknown_name', 'Unknown name', `There is no audit entry ${id}.`, EXIT.usage);
  return entry;
}
