import type { Command } from 'commander';
import { answerOf, type Schemas } from '../../client/api.ts';
import { pause } from '../../client/pause.ts';
import type { Session } from '../../client/session.ts';
import { EXIT } from '../../exit-codes.ts';
import { findGitSource } from '../../names/records.ts';
import { type CommonOptions, type Context, durationOption, leaf, signedIn } from '../command.ts';

type Source = Schemas['GitSourceView'];
const USUAL_TIMEOUT_MS = 300_000;
const FIRST_LOOK_MS = 300;
const LAST_LOOK_MS = 5_000;

export function addSources(program: Command, context: Context): void {
  const sources = program.command('source').description('Git sources: repositories that plans and scripts come from');
  const command = leaf(sources, 'sync', 'Fetch what is new in a git source, and wait for that')
    .argument('<source>', 'name or id')
    .option('--no-wait', 'only ask for it')
    .addOption(durationOption('--timeout <duration>', 'how long to wait (5m)'));
  signedIn<CommonOptions & { wait: boolean; timeout?: number }>(
    context,
    command,
    async (session, options, argument) => {
      const { api, out } = session;
      const { id } = await findGitSource(api, argument);
      const params = { path: { id } };
      const asked = await answerOf(api.POST('/api/git-sources/{id}/sync', { params }));
      const source = options.wait ? await synced(session, asked, options.timeout ?? USUAL_TIMEOUT_MS) : asked;
      if (out.json) out.record(source);
      else tell(session, source);
      if (!options.wait) return EXIT.succeeded;
      if (source.syncRequestedAt !== null) return EXIT.unknown;
      return source.state === 'ready' ? EXIT.succeeded : EXIT.failed;
    },
  );
}

async function synced({ api }: Session, asked: Source, timeoutMs: number): Promise<Source> {
  const deadline = performance.now() + timeoutMs;
  let source = asked;
  for (
    let look = FIRST_LOOK_MS;
    source.syncRequestedAt !== null && performance.now() < deadline;
    look = Math.min(LAST_LOOK_MS, look * 1.5)
  ) {
    await pause(look);
    source = await answerOf(api.GET('/api/git-sources/{id}', { params: { path: { id: asked.id } } }));
  }
  return source;
}

function tell({ out }: Session, source: Source): void {
  const name = out.safe(source.name);
  if (source.syncRequestedAt !== null) return out.line(`${name}  asked for; it has not ended yet`);
  out.line(`${name}  ${source.state}${source.commit ? `  ${source.commit}` : ''}`);
  if (source.error) out.note(source.error);
  const plans = source.planSync;
  if (plans)
    out.note(
      `Plans: ${plans.created} new, ${plans.changed} changed, ${plans.unchanged} unchanged, ${plans.removed} removed, ${plans.invalid} invalid`,
    );
}
