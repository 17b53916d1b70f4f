import type { Command } from 'commander';
import { IMPORT_FORMATS } from '../../../../frontend/src/api/lists.ts';
import { requireAnswer, createIdempotencyHeaders, type Schemas } from '../../client/api.ts';
import type { Session } from '../../client/session.ts';
import { EXIT } from '../../terminal/exit-codes.ts';
import { usage } from '../../terminal/failure.ts';
import { findEnvironment, findSshKey } from '../../names/records.ts';
import { toCountsText } from '../../runs/report.ts';
import { readTextArgument } from '../../terminal/files.ts';
import {
  createChoiceOption,
  type CommonOptions,
  type Context,
  createDurationOption,
  addSubcommand,
  addSignedInAction,
} from '../command.ts';

type Import = Schemas['ImportView'];
type ImportRequest = Schemas['ImportServersRequest'];
const FORMATS = IMPORT_FORMATS.map(({ name }) => name);
const MAX_WAIT_S = 20;
const DEFAULT_TIMEOUT_MS = 600_000;

interface Options extends CommonOptions {
  env: string;
  format: ImportRequest['format'];
  key?: string;
  username?: string;
  source?: string;
  prune?: ImportRequest['prune'];
  pruneLimit?: string;
  skipFaulty?: boolean;
  preview?: boolean;
  timeout?: number;
}

export function addServerImport(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'import', 'Register servers from a list, an Ansible inventory or an ssh_config')
    .argument('<file>', '- for standard input')
    .requiredOption('--env <environment>', 'name or id')
    .addOption(createChoiceOption('--format <format>', 'format of the file', FORMATS).makeOptionMandatory())
    .option('--key <ssh key>', 'default for servers without their own value')
    .option('--username <login>', 'default for servers without their own value')
    .option('--source <name>', 'system that knows the servers; its ids identify them')
    .addOption(
      createChoiceOption('--prune <how>', 'what to do with servers of the source that the file has not', [
        'no',
        'disable',
        'remove',
      ]),
    )
    .option('--prune-limit <percent>', 'refuse to prune more servers than this')
    .option('--skip-faulty', 'skip servers that cannot be imported, and list them')
    .option('--preview', 'preview the changes')
    .addOption(createDurationOption('--timeout <duration>', 'time limit for the end (default 10m)'));
  addSignedInAction<Options>(context, command, async (session, options, file) => {
    const { api, out } = session;
    if (options.pruneLimit !== undefined && !/^\d{1,3}$/.test(options.pruneLimit))
      throw usage('--prune-limit takes a number of percent.');
    const content = await readTextArgument(file, 'The servers', session.surroundings);
    const environment = await findEnvironment(api, options.env);
    const key = options.key === undefined ? null : await findSshKey(api, options.key);
    const body: ImportRequest = {
      format: options.format,
      content,
      environmentId: environment.id,
      ...(key ? { sshKeyId: key.id } : {}),
      ...(options.username ? { username: options.username } : {}),
      ...(options.source ? { source: options.source } : {}),
      ...(options.prune ? { prune: options.prune } : {}),
      ...(options.skipFaulty ? { skipFaulty: true } : {}),
      ...(options.pruneLimit ? { pruneLimitPercent: Number(options.pruneLimit) } : {}),
    };
    const params = { query: options.preview ? { preview: 'true' as const } : {} };
    const begun = await requireAnswer(
      api.POST('/api/inventory/servers/import', { params, body, ...createIdempotencyHeaders() }),
    );
    const ended = await waitUntilEnded(session, begun, options.timeout ?? DEFAULT_TIMEOUT_MS);
    if (out.isStructured) out.record(ended);
    else printImport(session, ended);
    return ended.status === 'succeeded' ? EXIT.succeeded : ended.status === 'failed' ? EXIT.failed : EXIT.unknown;
  });
}

async function waitUntilEnded({ api }: Session, begun: Import, timeoutMs: number): Promise<Import> {
  const deadline = performance.now() + timeoutMs;
  let latest = begun;
  while (latest.status !== 'succeeded' && latest.status !== 'failed' && performance.now() < deadline) {
    const params = { path: { id: begun.id }, query: { wait: MAX_WAIT_S } };
    latest = await requireAnswer(api.GET('/api/inventory/imports/{id}', { params }));
  }
  return latest;
}

function printImport({ out }: Session, done: Import): void {
  const counts = done.counts ? toCountsText({ ...done.counts }) : '';
  out.line(`${done.status}  ${done.preview ? 'preview of ' : ''}import ${done.id}${counts ? `: ${counts}` : ''}`);
  for (const fault of done.faults) out.note(`${toPlaceText(fault)}${fault.reason.text}`);
  if (done.moreFaults > 0) out.note(`and ${done.moreFaults} more faults`);
  for (const left of done.notCarried) out.note(`${toPlaceText(left)}${left.what} was left out: ${left.reason.text}`);
  if (done.moreNotCarried > 0) out.note(`and ${done.moreNotCarried} more were left out`);
}

const toPlaceText = ({ line, entry }: { line: number | null; entry: string | null }): string =>
  [line === null ? null : `line ${line}`, entry]
    .filter(Boolean)
    .join(', ')
    .concat(line === null && entry === null ? '' : ': ');
