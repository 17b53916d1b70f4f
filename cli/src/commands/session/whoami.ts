import type { Command } from 'commander';
import { requireAnswer, type Schemas } from '../../client/api.ts';
import { formatTime } from '../../terminal/times.ts';
import type { Output } from '../../terminal/output.ts';
import { type Context, addSubcommand, addSignedInAction } from '../command.ts';

export function addWhoami(parent: Command, context: Context): void {
  addSignedInAction(
    context,
    addSubcommand(parent, 'whoami', 'Show the signed-in user, service and expiry'),
    async ({ api, out, connection }) => {
      const me = await requireAnswer(api.GET('/api/auth/me'));
      if (out.isStructured) return out.record(me);
      out.facts([['Service', connection.options.base]]);
      printIdentity(out, me);
    },
  );
}

export function printIdentity(out: Output, { name, email, role, tenant, token }: Schemas['MeView']): void {
  out.facts([
    ['Member', `${name} <${email}>`],
    ['Tenant', tenant.name],
    ['Role', role],
    ['Token', token === null ? null : `${token.name} (${token.prefix}…)`],
    ['Ends', token === null ? null : token.expiresAt === null ? 'never' : formatTime(token.expiresAt)],
  ]);
}
