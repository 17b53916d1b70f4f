import { type Command, Argument } from 'commander';
import { RESOLVE_ACTIONS, RUN_MODES } from '../../../../frontend/src/api/lists.ts';
import type { Session } from '../../client/session.ts';
import { requireAnswer, createIdempotencyHeaders } from '../../client/api.ts';
import { findRunId } from '../../names/run-id.ts';
import { getUnknownHosts, RUN_ARGUMENT } from '../../runs/run.ts';
import { readRun } from '../../runs/wait.ts';
import { EXIT } from '../../terminal/exit-codes.ts';
import { createFailure, usage } from '../../terminal/failure.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { reportRun } from './report-run.ts';

const toParams = async (session: Session, argument: string) => ({ path: { id: await findRunId(session, argument) } });

export function addRunPause(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'pause', 'Pause a run before its next step').argument('<run>', RUN_ARGUMENT);
  addSignedInAction(context, command, async (session, _, argument) =>
    reportRun(
      session,
      await requireAnswer(
        session.api.POST('/api/executions/{id}/pause', {
          params: await toParams(session, argument),
          ...createIdempotencyHeaders(),
        }),
      ),
    ),
  );
}

export function addRunMode(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'mode', 'Switch a run to a mode that asks less often')
    .argument('<run>', RUN_ARGUMENT)
    .addArgument(new Argument('<mode>', 'new mode').choices(RUN_MODES.filter((mode) => mode !== 'dry_run')));
  addSignedInAction(context, command, async (session, _, argument, mode) => {
    const body = { execution_mode: mode as (typeof RUN_MODES)[number] };
    reportRun(
      session,
      await requireAnswer(
        session.api.POST('/api/executions/{id}/mode', {
          params: await toParams(session, argument),
          body,
          ...createIdempotencyHeaders(),
        }),
      ),
    );
  });
}

export function addRunWithdraw(parent: Command, context: Context): void {
  const command = addSubcommand(
    parent,
    'withdraw',
    'Withdraw your approval while the run waits for another one',
  ).argument('<run>', RUN_ARGUMENT);
  addSignedInAction(context, command, async (session, _, argument) =>
    reportRun(
      session,
      await requireAnswer(
        session.api.POST('/api/executions/{id}/withdraw-approval', {
          params: await toParams(session, argument),
          ...createIdempotencyHeaders(),
        }),
      ),
    ),
  );
}

interface ResolveOptions extends CommonOptions {
  step?: string;
  comment?: string;
}

export function addRunResolve(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'resolve', 'Resolve the unknown result of a step on a host')
    .argument('<run>', RUN_ARGUMENT)
    .argument('<host>', 'name or id of the host')
    .addArgument(new Argument('<action>', 'what to do').choices(RESOLVE_ACTIONS))
    .option('--step <key>', 'step, if several have an unknown result on the host')
    .option('--comment <text>', 'comment for the audit trail');
  addSignedInAction<ResolveOptions>(
    context,
    command,
    async (session, { step, comment }, argument, host = '', action) => {
      const run = await readRun(session, await findRunId(session, argument));
      const found = getUnknownHosts(run).filter(
        ({ serverId, name, stepKey }) => [serverId, name].includes(host) && (step === undefined || stepKey === step),
      );
      const [unknown, ...others] = found;
      if (unknown === undefined)
        throw createFailure(
          'not_unknown',
          'No unknown result',
          `No result of ${step === undefined ? '' : `step ${step} on `}${host} is unknown in this run.`,
          EXIT.refused,
        );
      if (others.length > 0)
        throw usage(`Choose a step with --step: ${found.map(({ stepKey }) => stepKey).join(', ')}.`);
      const body = {
        action: action as (typeof RESOLVE_ACTIONS)[number],
        stepKey: unknown.stepKey,
        ...(comment ? { comment } : {}),
      };
      const params = { path: { id: run.id, serverId: unknown.serverId } };
      reportRun(
        session,
        await requireAnswer(
          session.api.POST('/api/executions/{id}/hosts/{serverId}/resolve', {
            params,
            body,
            ...createIdempotencyHeaders(),
          }),
        ),
      );
    },
  );
}

interface PinOptions extends CommonOptions {
  note?: string;
  legalHold?: boolean;
  remove?: boolean;
}

export function addRunPin(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'pin', 'Keep a run: retention does not delete it')
    .argument('<run>', RUN_ARGUMENT)
    .option('--note <text>', 'why it is kept')
    .option('--legal-hold', 'two admins must lift it (admins)')
    .option('--remove', 'remove the pin');
  addSignedInAction<PinOptions>(context, command, async (session, { note, legalHold, remove }, argument) => {
    const { api } = session;
    const params = await toParams(session, argument);
    if (remove) {
      if (note !== undefined || legalHold) throw usage('--remove takes no other option.');
      return reportRun(session, await requireAnswer(api.DELETE('/api/executions/{id}/pin', { params })));
    }
    const body = { ...(note ? { note } : {}), ...(legalHold ? { legalHold } : {}) };
    reportRun(session, await requireAnswer(api.PUT('/api/executions/{id}/pin', { params, body })));
  });
}
