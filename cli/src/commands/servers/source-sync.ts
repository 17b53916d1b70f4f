import type { Command } from 'commander';
import { requireAnswer, type Schemas } from '../../client/api.ts';
import { sleep } from '../../client/pause.ts';
import type { Session } from '../../client/session.ts';
import { EXIT } from '../../terminal/exit-codes.ts';
import { findGitSource } from '../../names/records.ts';
import {
  type CommonOptions,
  type Context,
  createDurationOption,
  addSubcommand,
  addSignedInAction,
} from '../command.ts';

type Source = Schemas['GitSourceView'];
const DEFAULT_TIMEOUT_MS = 300_000;
const FIRST_POLL_DELAY_MS = 300;
const MAX_POLL_DELAY_MS = 5_000;

export function addSources(program: Command, context: Context): void {
  const sources = program.command('source').description('Synchronise git sources of plans and scripts');
  const command = addSubcommand(sources, 'sync', 'Fetch new commits of a git source and wait for the result')
    .argument('<source>', 'name or id')
    .option('--no-wait', 'request the synchronisation without waiting')
    .addOption(createDurationOption('--timeout <duration>', 'time limit for the result (default 5m)'));
  addSignedInAction<CommonOptions & { wait: boolean; timeout?: number }>(
    context,
    command,
    async (session, options, argument) => {
      const { api, out } = session;
      const { id } = await findGitSource(api, argument);
      const params = { path: { id } };
      const requested = await requireAnswer(api.POST('/api/git-sources/{id}/sync', { params }));
      const source = options.wait
        ? await waitUntilSynced(session, requested, options.timeout ?? DEFAULT_TIMEOUT_MS)
        : requested;
      if (out.isStructured) out.record(source);
      else printSource(session, source);
      if (!options.wait) return EXIT.succeeded;
      if (source.syncRequestedAt !== null) return EXIT.unknown;
      return source.state === 'ready' ? EXIT.succeeded : EXIT.failed;
    },
  );
}

async function waitUntilSynced({ api }: Session, requested: Source, timeoutMs: number): Promise<Source> {
  const deadline = performance.now() + timeoutMs;
  let source = requested;
  for (
    let look = FIRST_POLL_DELAY_MS;
    source.syncRequestedAt !== null && performance.now() < deadline;
    look = Math.min(MAX_POLL_DELAY_MS, look * 1.5)
  ) {
    await sleep(look);
    source = await requireAnswer(api.GET('/api/git-sources/{id}', { params: { path: { id: requested.id } } }));
  }
  return source;
}

function printSource({ out }: Session, source: Source): void {
  const name = out.safe(source.name);
  if (source.syncRequestedAt !== null) return out.line(`${name}  requested; not finished yet`);
  out.line(`${name}  ${source.state}${source.commit ? `  ${source.commit}` : ''}`);
  if (source.reason) out.note(source.reason.text);
  const plans = source.planSync;
  if (plans)
    out.note(
      `Plans: ${plans.created} new, ${plans.changed} changed, ${plans.unchanged} unchanged, ${plans.removed} removed, ${plans.invalid} invalid`,
    );
}
