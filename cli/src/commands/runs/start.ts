import type { Command } from 'commander';
import { requireAnswer } from '../../client/api.ts';
import type { Session } from '../../client/session.ts';
import { usage } from '../../terminal/failure.ts';
import { collectValues, parsePairs } from '../../names/pairs.ts';
import { findEnvironment, findPlan } from '../../names/records.ts';
import { startRun, type StartRequest } from '../../runs/start.ts';
import { parseValues, convertValues, type VariableValues } from '../../runs/variables.ts';
import { readTextArgument } from '../../terminal/files.ts';
import { createChoiceOption, type Context, addSubcommand, RUN_RETRY_FOR_MS, addSignedInAction } from '../command.ts';
import { checkFollowOrWait, followOrWait } from './stay.ts';
import { type FollowOrWaitOptions, addFollowOrWaitOptions } from './watch-options.ts';

const MODES = ['auto', 'semi_assisted', 'interactive', 'dry_run'] as const;
export type Mode = (typeof MODES)[number];
export const createModeOption = (usual?: Mode) => createChoiceOption('--mode <mode>', 'mode of the run', MODES, usual);

const DIGEST_PATTERN = /^[0-9a-f]{64}$/;

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
  const command = addFollowOrWaitOptions(
    addSubcommand(parent, 'start', 'Start a plan')
      .argument('<plan>', 'name or id')
      .option('--env <environment>', 'environment, by name or id (default: that of the plan)')
      .option('--var <name=value>', 'value of a variable; repeatable', collectValues)
      .option('--var-file <file>', 'values as a JSON object or as lines NAME=value; - for standard input')
      .addOption(createModeOption())
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
    const mode = toMode(options);
    checkFollowOrWait(options);
    const request = await createStartRequest(session, plan, mode, options);
    const run = await startRun(session, options.idempotencyKey ?? null, request);
    for (const { message } of run.warnings) session.out.note(`Warning: ${message}`);
    return followOrWait(session, run, options);
  };
  addSignedInAction<Options>(context, command, handler, RUN_RETRY_FOR_MS);
}

function toMode({ mode, dryRun, expect }: Options): Mode {
  if (dryRun && mode !== undefined && mode !== 'dry_run')
    throw usage(`--dry-run cannot be combined with --mode ${mode}.`);
  if (expect !== undefined && !DIGEST_PATTERN.test(expect))
    throw usage('--expect must be the digest of a run: 64 hexadecimal characters, shown by `run show`.');
  return dryRun ? 'dry_run' : (mode ?? 'auto');
}

async function createStartRequest(session: Session, plan: string, mode: Mode, options: Options): Promise<StartRequest> {
  const { api, surroundings } = session;
  const text =
    options.varFile === undefined ? null : await readTextArgument(options.varFile, 'The variables', surroundings);
  const given = parseValues(options.var ?? [], text);
  const labels = parsePairs(options.label ?? [], '--label');
  const [{ id: planId }, environment] = await Promise.all([
    findPlan(api, plan),
    options.env === undefined ? null : findEnvironment(api, options.env),
  ]);
  return {
    planId,
    execution_mode: mode,
    ...(given.size > 0 ? { variables: await readVariableValues(session, planId, given) } : {}),
    ...(environment ? { environmentId: environment.id } : {}),
    ...(options.targets ? { targets: options.targets } : {}),
    ...(options.expect ? { expectedDigest: options.expect } : {}),
    ...(options.note ? { note: options.note } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(options.freezeOverride ? { freezeOverride: options.freezeOverride } : {}),
    ...(options.acceptAuthors ? { acceptAuthors: options.acceptAuthors } : {}),
  };
}

async function readVariableValues(
  { api }: Session,
  id: string,
  given: ReadonlyMap<string, unknown>,
): Promise<VariableValues> {
  const { variables } = await requireAnswer(api.GET('/api/plans/{id}', { params: { path: { id } } }));
  return convertValues(given, variables);
}
