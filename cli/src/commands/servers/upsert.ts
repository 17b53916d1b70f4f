import { type Command, Option } from 'commander';
import { requireAnswer, type Schemas } from '../../client/api.ts';
import { usage } from '../../terminal/failure.ts';
import { collectValues, parsePairs } from '../../names/pairs.ts';
import { findEnvironment, findSshKey } from '../../names/records.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';

interface Options extends CommonOptions {
  source: string;
  externalId: string;
  name: string;
  hostname: string;
  username: string;
  env: string;
  key: string;
  port?: string;
  tag?: string[];
  var?: string[];
  hostKey?: string[];
  jumpServer?: string;
  legacyAlgorithms?: 'yes' | 'no';
  loginTimeout?: string;
  disabled?: boolean;
  enabled?: boolean;
}

export function addServerUpsert(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'upsert', 'Register or update a server by its external id')
    .requiredOption('--source <name>', 'system that knows the server, such as netbox')
    .requiredOption('--external-id <id>', 'id of the server in that system')
    .requiredOption('--name <name>', 'name of the server in Runward')
    .requiredOption('--hostname <host>', 'host name or IP address')
    .requiredOption('--username <login>', 'login user')
    .requiredOption('--env <environment>', 'name or id')
    .requiredOption('--key <ssh key>', 'name or id of the SSH key')
    .option('--port <port>', 'port of its SSH server')
    .option('--tag <key=value>', 'tag; repeatable (default: tags are unchanged)', collectValues)
    .option('--var <name=value>', 'variable; repeatable (default: variables are unchanged)', collectValues)
    .option('--host-key <public key>', 'host key, such as "ssh-ed25519 AAAA…"; repeatable', collectValues)
    .option('--jump-server <external id>', 'jump server, by its id in the source')
    .addOption(
      new Option('--legacy-algorithms <yes|no>', 'whether to allow legacy SSH algorithms').choices(['yes', 'no']),
    )
    .option('--login-timeout <seconds>', 'time limit of a login, 5 to 120; 0: the default')
    .option('--disabled', 'disable the server: runs skip it')
    .option('--enabled', 'enable the server');
  addSignedInAction<Options>(context, command, async ({ api, out }, options) => {
    if (options.disabled && options.enabled) throw usage('--disabled and --enabled exclude one another.');
    const port = options.port === undefined ? undefined : parsePort(options.port);
    const tags = parsePairs(options.tag ?? [], '--tag');
    const variables = parsePairs(options.var ?? [], '--var');
    const [environment, key] = await Promise.all([findEnvironment(api, options.env), findSshKey(api, options.key)]);
    const body: Schemas['UpsertServerRequest'] = {
      name: options.name,
      hostname: options.hostname,
      username: options.username,
      environmentId: environment.id,
      sshKeyId: key.id,
      ...(port === undefined ? {} : { port }),
      ...(options.tag ? { tags } : {}),
      ...(options.var ? { variables } : {}),
      ...(options.hostKey ? { hostKeys: options.hostKey.map((publicKey) => ({ publicKey })) } : {}),
      ...(options.jumpServer ? { jumpServer: options.jumpServer } : {}),
      ...(options.legacyAlgorithms ? { legacyAlgorithms: options.legacyAlgorithms === 'yes' } : {}),
      ...(options.loginTimeout === undefined ? {} : { loginTimeoutSeconds: parseTimeout(options.loginTimeout) }),
      ...(options.disabled ? { enabled: false } : options.enabled ? { enabled: true } : {}),
    };
    const params = { path: { source: options.source, externalId: options.externalId } };
    const call = await api.PUT('/api/inventory/servers/by-external-id/{source}/{externalId}', { params, body });
    const server = await requireAnswer(Promise.resolve(call));
    if (out.isStructured) return out.record(server);
    out.line(`${out.safe(server.name)}  ${server.id}  ${call.response.status === 201 ? 'registered' : 'updated'}`);
  });
}

/** Returns null for the default. */
function parseTimeout(text: string): number | null {
  if (!/^\d{1,3}$/.test(text)) throw usage('--login-timeout must be a whole number of seconds.');
  return Number(text) || null;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw usage('--port takes a number from 1 to 65535.');
  return port;
}
