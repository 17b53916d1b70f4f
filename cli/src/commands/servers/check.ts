import type { Command } from 'commander';
import { requireAnswer } from '../../client/api.ts';
import { EXIT } from '../../terminal/exit-codes.ts';
import { usage } from '../../terminal/failure.ts';
import { findEnvironment, findServer } from '../../names/records.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';

interface Options extends CommonOptions {
  env?: string;
  selector?: string;
}

export function addServerCheck(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'check', 'Check servers: host key, login, facts')
    .argument('[servers...]', 'names or ids of servers to check now')
    .option('--env <environment>', 'check all servers of an environment in the background')
    .option('--selector <selector>', 'check the selected servers in the background');
  addSignedInAction<Options>(context, command, async ({ api, out }, options, ...args) => {
    const names = args.flat();
    const many = options.env !== undefined || options.selector !== undefined;
    if (many === names.length > 0) throw usage('Name servers, or use --env or --selector.');
    if (many) {
      const environment = options.env === undefined ? null : await findEnvironment(api, options.env);
      const body = {
        ...(environment ? { environmentId: environment.id } : {}),
        ...(options.selector ? { selector: options.selector } : {}),
      };
      const accepted = await requireAnswer(api.POST('/api/inventory/servers/checks', { body }));
      if (out.isStructured) return out.record(accepted);
      out.line(`${accepted.requested} servers will be checked.`);
      if (accepted.disabled > 0) out.note(`${accepted.disabled} are disabled and are skipped.`);
      if (accepted.workers === 0) out.note('No worker is running. The checks start when one does.');
      return;
    }
    const servers = await Promise.all(names.map((name) => findServer(api, name)));
    const checked = [];
    for (const { id } of servers)
      checked.push(await requireAnswer(api.POST('/api/inventory/servers/{id}/check', { params: { path: { id } } })));
    if (out.isStructured) out.record({ items: checked, nextCursor: null });
    else
      out.table(
        ['name', 'state', 'message'],
        checked.map(({ name, state, lastCheck }) => [name, state, lastCheck?.reason.text ?? '']),
      );
    return checked.every(({ state }) => state === 'reachable') ? EXIT.succeeded : EXIT.failed;
  });
}
