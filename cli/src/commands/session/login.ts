import type { Command } from 'commander';
import { requireAnswer, createApi, type Schemas } from '../../client/api.ts';
import { Connection, type ConnectionOptions } from '../../client/connection.ts';
import { readConfig, writeConfig } from '../../config/config-file.ts';
import { parseServiceUrl } from '../../config/service-url.ts';
import { fixedTokenCredential, parseToken } from '../../config/token.ts';
import { usage } from '../../terminal/failure.ts';
import type { Output } from '../../terminal/output.ts';
import {
  type CommonOptions,
  createConnectionOptions,
  type Context,
  addSubcommand,
  createOutput,
  DEFAULT_RETRY_FOR_MS,
} from '../command.ts';
import { printIdentity } from './whoami.ts';

export function addLogin(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'login', 'Store the address of a service and a token')
    .argument('[url]', 'address of the service (default: RUNWARD_URL)')
    .addHelpText(
      'after',
      '\nAsks for the token, or reads it from standard input. Tokens are not accepted as arguments.',
    );
  command.action(async () => {
    const options = command.opts<CommonOptions>();
    const out = await createOutput(context, options);
    const base = await readAddress(context, out, command.processedArgs[0] as string | undefined);
    const token = await readToken(context, out);
    out.secrets.add(token);
    const access: ConnectionOptions = {
      ...createConnectionOptions(out, options, DEFAULT_RETRY_FOR_MS),
      base,
      credential: fixedTokenCredential(token),
    };
    const me: Schemas['MeView'] = await requireAnswer(createApi(new Connection(access)).GET('/api/auth/me'));
    const file = await writeConfig(context.surroundings, { url: base, token });
    if (out.isStructured) return out.record(me);
    out.note(`Signed in at ${base}. Stored in ${file}.`);
    if (context.surroundings.env.RUNWARD_TOKEN) out.note('RUNWARD_TOKEN is set and overrides the stored token.');
    printIdentity(out, me);
  });
}

async function readAddress({ surroundings }: Context, out: Output, argument: string | undefined): Promise<string> {
  if (argument !== undefined) return parseServiceUrl(argument, 'The address');
  const { env, stdin } = surroundings;
  if (env.RUNWARD_URL) return parseServiceUrl(env.RUNWARD_URL, 'RUNWARD_URL');
  const kept = await readConfig(surroundings).catch(() => null);
  if (!stdin.isTTY) {
    if (kept !== null) return parseServiceUrl(kept.url, 'The stored address');
    throw usage('No service address.', ['Enter it as an argument: runward login https://runward.example.org']);
  }
  const question = kept === null ? 'Address of the service: ' : `Address of the service [${kept.url}]: `;
  const typed = (await stdin.readLine(out.question(question)))?.trim();
  return parseServiceUrl(typed || (kept?.url ?? ''), 'The address');
}

async function readToken({ surroundings: { stdin } }: Context, out: Output): Promise<string> {
  if (!stdin.isTTY) return parseToken(await stdin.readAll(), 'The token on standard input');
  const question = out.question('API token (not shown while you paste it): ');
  return parseToken((await stdin.readLine(question, { hidden: true })) ?? '', 'The token');
}
