import type { Command } from 'commander';
import { requireAnswer, type Schemas } from '../../client/api.ts';
import { fetchUpTo } from '../../client/pages.ts';
import { findToken } from '../../names/records.ts';
import { formatTimeWithAge } from '../../terminal/times.ts';
import { addFormatOption, addSignedInAction, addSubcommand, type Context } from '../command.ts';
import { addLimitOption, type ListOptions, printList, printRecord } from '../limit.ts';

type Token = Schemas['TokenView'];

const toState = ({ revokedAt, expiresAt }: Token): string => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt).getTime() <= Date.now() ? 'expired' : 'valid';
};

const toScopeText = ({ scope }: Token): string => scope?.access ?? 'all rights of its member';

export function addTokens(program: Command, context: Context): void {
  const group = program.command('token').description('Show API tokens');
  const list = addLimitOption(addSubcommand(group, 'list', 'List your API tokens, newest first'));
  addSignedInAction<ListOptions>(context, list, async ({ api, out }, { limit }) => {
    const page = await fetchUpTo(limit, (query) => requireAnswer(api.GET('/api/tokens', { params: { query } })));
    printList(out, page, {
      what: 'tokens',
      headings: ['name', 'token', 'state', 'used', 'ends'],
      row: (token) => [
        token.name,
        `${token.prefix}…`,
        toState(token),
        out.time(token.lastUsedAt),
        token.expiresAt === null ? 'never' : out.time(token.expiresAt),
      ],
      wide: {
        headings: ['member', 'scope', 'created', 'id'],
        row: (token) => [token.user.name, toScopeText(token), out.time(token.createdAt), token.id],
      },
    });
  });

  const show = addFormatOption(addSubcommand(group, 'show', 'Show an API token, without its secret')).argument(
    '<token>',
    'name or id',
  );
  addSignedInAction(context, show, async ({ api, out }, _, argument) => {
    const token = await findToken(api, argument);
    printRecord(out, token, () =>
      out.facts([
        ['Name', token.name],
        ['Id', token.id],
        ['Token', `${token.prefix}…`],
        ['Member', token.user.name],
        ['State', toState(token)],
        ['Scope', toScopeText(token)],
        ['Used', token.lastUsedAt === null ? 'never' : formatTimeWithAge(token.lastUsedAt)],
        ['Ends', token.expiresAt === null ? 'never' : formatTimeWithAge(token.expiresAt)],
        ['Created', formatTimeWithAge(token.createdAt)],
      ]),
    );
  });
}
