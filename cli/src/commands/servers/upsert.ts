import { type Command, Option } from 'commander';
import { answerOf, type Schemas } from '../../client/api.ts';
import { usage } from '../../failure.ts';
import { collect, pairs } from '../../names/pairs.ts';
import { findEnvironment, findSshKey } from '../../names/records.ts';
import { type CommonOptions, type Context, leaf, signedIn } from '../command.ts';

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
  disabled?: boolean;
  enabled?: boolean;
}

export function addServerUpsert(parent: Command, context: Context): void {
  const command = leaf(parent, 'upsert', 'Register a server that another system knows, or bring it up to date')
    .requiredOption('--source <name>', 'the system that knows it, such as netbox')
    .requiredOption('--external-id <id>', 'what that system calls it')
    .requiredOption('--name <name>', 'what it is called here')
    .requiredOption('--hostname <host>', 'its name in the network, or its address')
    .requiredOption('--username <login>', 'whom to sign in as')
    .requiredOption('--env <environment>', 'name or id')
    .requiredOption('--key <ssh key>', 'name or id of the SSH key')
    .option('--port <port>', 'of its SSH server')
    .option('--tag <key=value>', 'a tag; may be given several times. Without any the tags stay', collect)
    .option('--var <name=value>', 'a variable; may be given several times. Without any they stay', collect)
    .option('--host-key <public key>', 'a line like ssh-ed25519 AAAA…; may be given several times', collect)
    .option('--jump-server <external id>', 'the server that it is reached through, by its id at the source')
    .addOption(
      new Option('--legacy-algorithms <yes|no>', 'whether algorithms of old SSH servers are offered to it too').choices(
        ['yes', 'no'],
      ),
    )
    .option('--disabled', 'runs leave it out')
    .option('--enabled', 'runs use it again');
  signedIn<Options>(context, command, async ({ api, out }, options) => {
    if (options.disabled && options.enabled) throw usage('--disabled and --enabled exclude one another.');
    const port = options.port === undefined ? undefined : portOf(options.port);
    const tags = pairs(options.tag ?? [], '--tag');
    const variables = pairs(options.var ?? [], '--var');
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
      ...(options.disabled ? { enabled: false } : options.enabled ? { enabled: true } : {}),
    };
    const params = { path: { source: options.source, externalId: options.externalId } };
    const call = await api.PUT('/api/inventory/servers/by-external-id/{source}/{externalId}', { params, body });
    const server = await answerOf(Promise.resolve(call));
    if (out.json) return out.record(server);
    out.line(
      `${out.safe(server.name)}  ${server.id}  ${call.response.status === 201 ? 'registered' : 'was registered; up to date'}`,
    );
  });
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw usage('--port takes a number from 1 to 65535.');
  return port;
}
