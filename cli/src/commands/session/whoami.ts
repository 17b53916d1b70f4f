import type { Command } from 'commander';
import { answerOf, type Schemas } from '../../client/api.ts';
import { time } from '../../terminal/durations.ts';
import type { Output } from '../../terminal/output.ts';
import { type Context, leaf, signedIn } from '../command.ts';

export function addWhoami(parent: Command, context: Context): void {
  signedIn(
    context,
    leaf(parent, 'whoami', 'Show the signed-in user, service and expiry'),
    async ({ api, out, connection }) => {
      const me = await answerOf(api.GET('/api/auth/me'));
      if (out.json) return out.record(me);
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
    ['Ends', token === null ? null : token.expiresAt === null ? 'never' : time(token.expiresAt)],
  ]);
}
