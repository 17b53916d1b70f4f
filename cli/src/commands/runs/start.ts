import type { Command } from 'commander';
import { answerOf } from '../../client/api.ts';
import type { Session } from '../../client/session.ts';
import { usage } from '../../failure.ts';
import { collectValues, pairs } from '../../names/pairs.ts';
import { findEnvironment, findPlan } from '../../names/records.ts';
import { start, type StartRequest } from '../../runs/start.ts';
import { parseValues, convertValues, type Values } from '../../runs/variables.ts';
import { textOf } from '../../terminal/files.ts';
import { choice, type Context, leaf, RUN_RETRY_FOR_MS, signedIn } from '../command.ts';
import { checkFollowOrWait, followOrWait } from './stay.ts';
import { type FollowOrWaitOptions, withFollowOrWaitOptions } from './watch-options.ts';

const MODES = ['auto', 'semi_assisted', 'interactive', 'dry_run'] as const;
export type Mode = (typeof MODES)[number];
export const modeOption = (usual?: Mode) => choice('--mode <mode>', 'mode of the run', MODES, usual);

const DIGEST = /^[0-9a-f]{64}$/;

interface Options extends FollowOrWaitOptions {
  env?: string;
  var?: string[];
  varFile?: string;
  mode?: Mode;
  dryRun?: boolean;
  expect?: string;
  targets?: string;
  note?: string;
  label?: string[];
  freezeOverride?: string;
  acceptAuthors?: string;
  idempotencyKey?: string;
}

export function addRunStart(parent: Command, context: Context): void {
  const command = withFollowOrWaitOptions(
    leaf(parent, 'start', 'Start a plan')
      .argument('<plan>', 'name or id')
      .option('--env <environment>', 'environment, by name or id (default: that of the plan)')
      .option('--var <name=value>', 'value of a variable; repeatable', collectValues)
      .option('--var-file <file>', 'values as a JSON object or as lines NAME=value; - for standard input')
      .addOption(modeOption())
      .option('--dry-run', 'show the changes without making them; same as --mode dry_run')
      .option('--expect <digest>', 'start only if nothing changed since the dry run with this digest')
      .option('--targets <selector>', "limit the plan's hosts, such as role=web")
      .option('--note <text>', 'note for the list of runs')
      .option('--label <key=value>', 'label of the run; repeatable', collectValues)
      .option('--freeze-override <reason>', 'start despite a freeze (admins)')
      .option(
        '--accept-authors <digest>',
        'accept content of members without rights there (acceptAuthors of the refusal)',
      )
      .option('--idempotency-key <key>', 'key of an earlier call whose response was lost'),
  );
  const handler = async (session: Session, options: Options, plan: string) => {
    const mode = modeOf(options);
    checkFollowOrWait(options);
    const request = await requestOf(session, plan, mode, options);
    const run = await start(session, options.idempotencyKey ?? null, request);
    for (const { message } of run.warnings) session.out.note(`Warning: ${message}`);
    return followOrWait(session, run, options);
  };
  signedIn<Options>(context, command, handler, RUN_RETRY_FOR_MS);
}

function modeOf({ mode, dryRun, expect }: Options): Mode {
  if (dryRun && mode !== undefined && mode !== 'dry_run')
    throw usage(`--dry-run cannot be combined with --mode ${mode}.`);
  if (expect !== undefined && !DIGEST.test(expect))
    throw usage('--expect must be the digest of a run: 64 hexadecimal characters, shown by `run show`.');
  return dryRun ? 'dry_run' : (mode ?? 'auto');
}

async function requestOf(session: Session, plan: string, mode: Mode, options: Options): Promise<StartRequest> {
  const { api, surroundings } = session;
  const text = options.varFile === undefined ? null : await textOf(options.varFile, 'The variables', surroundings);
  const given = parseValues(options.var ?? [], text);
  const labels = pairs(options.label ?? [], '--label');
  const [{ id: planId }, environment] = await Promise.all([
    findPlan(api, plan),
    options.env === undefined ? null : findEnvironment(api, options.env),
  ]);
  return {
    planId,
    execution_mode: mode,
    ...(given.size > 0 ? { variables: await valuesFor(session, planId, given) } : {}),
    ...(environment ? { environmentId: environment.id } : {}),
    ...(options.targets ? { targets: options.targets } : {}),
    ...(options.expect ? { expectedDigest: options.expect } : {}),
    ...(options.note ? { note: options.note } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(options.freezeOverride ? { freezeOverride: options.freezeOverride } : {}),
    ...(options.acceptAuthors ? { acceptAuthors: options.acceptAuthors } : {}),
  };
}

async function valuesFor({ api }: Session, id: string, given: ReadonlyMap<string, unknown>): Promise<Values> {
  const { variables } = await answerOf(api.GET('/api/plans/{id}', { params: { path: { id } } }));
  return convertValues(given, variables);
}
