import type { Command } from 'commander';
import { RUN_MODES } from '../../../../frontend/src/api/lists.ts';
import { requireAnswer } from '../../client/api.ts';
import type { Session } from '../../client/session.ts';
import { usage } from '../../terminal/failure.ts';
import { collectValues } from '../../names/pairs.ts';
import { findEnvironment, findPlan } from '../../names/records.ts';
import { getWarnings } from '../../runs/run.ts';
import { startRun, type StartRequest } from '../../runs/start.ts';
import { parseValues, convertValues, type VariableValues } from '../../runs/variables.ts';
import { readTextArgument } from '../../terminal/files.ts';
import { createChoiceOption, type Context, addSubcommand, RUN_RETRY_FOR_MS, addSignedInAction } from '../command.ts';
import { checkFollowOrWait, followOrWait } from './stay.ts';
import { addStartOptions, type StartOptions, toStartFields } from './start-options.ts';

export type Mode = (typeof RUN_MODES)[number];
export const createModeOption = () => createChoiceOption('--mode <mode>', 'mode of the run', RUN_MODES);

const DIGEST_PATTERN = /^[0-9a-f]{64}$/;

interface Options extends StartOptions {
  env?: string;
  var?: string[];
  varFile?: string;
  mode?: Mode;
  dryRun?: boolean;
  expect?: string;
  targets?: string;
}

export function addRunStart(parent: Command, context: Context): void {
  const command = addStartOptions(
    addSubcommand(parent, 'start', 'Start a plan')
      .argument('<plan>', 'name or id')
      .option('--env <environment>', 'environment, by name or id (default: that of the plan)')
      .option('--var <name=value>', 'value of a variable; repeatable', collectValues)
      .option('--var-file <file>', 'values as a JSON object or as lines NAME=value; - for standard input')
      .addOption(createModeOption())
      .option('--dry-run', 'show the changes without making them; same as --mode dry_run')
      .option('--expect <digest>', 'start only if nothing changed since the dry run with this digest')
      .option('--targets <selector>', "limit the plan's hosts, such as role=web"),
  );
  const handler = async (session: Session, options: Options, plan: string) => {
    const mode = toMode(options);
    await checkFollowOrWait(session, options);
    const request = await createStartRequest(session, plan, mode, options);
    const run = await startRun(session, options.idempotencyKey ?? null, request);
    for (const { reason } of getWarnings(run)) session.out.note(`Warning: ${reason.text}`);
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
  const common = toStartFields(options);
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
    ...common,
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
