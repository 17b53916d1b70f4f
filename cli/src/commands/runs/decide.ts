import { type Command, Argument } from 'commander';
import { DECISION_ACTIONS } from '../../../../frontend/src/api/lists.ts';
import { requireAnswer, createIdempotencyHeaders } from '../../client/api.ts';
import { EXIT } from '../../terminal/exit-codes.ts';
import { createFailure } from '../../terminal/failure.ts';
import { collectValues } from '../../names/pairs.ts';
import { findRunId } from '../../names/run-id.ts';
import { findServer } from '../../names/records.ts';
import { describePause } from '../../runs/pauses.ts';
import { RUN_ARGUMENT, toStatusText } from '../../runs/run.ts';
import { readRun } from '../../runs/wait.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { reportRun } from './report-run.ts';

interface Options extends CommonOptions {
  step?: string;
  host?: string[];
  comment?: string;
}

export function addRunDecide(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'decide', 'Answer a run that waits for a decision')
    .argument('<run>', RUN_ARGUMENT)
    .addArgument(new Argument('<action>', 'decision').choices(DECISION_ACTIONS))
    .option('--step <key>', 'refuse unless the run waits at this step')
    .option('--host <host>', 'only for this host, by name or id; repeatable', collectValues)
    .option('--comment <text>', 'comment for the audit trail');
  addSignedInAction<Options>(context, command, async (session, options, argument, action) => {
    const { api } = session;
    const run = await readRun(session, await findRunId(session, argument));
    const { pause } = run;
    if (pause === null || pause.stepKey === null || pause.reason === 'APPROVAL')
      throw createFailure(
        'not_waiting',
        'Not waiting',
        pause === null
          ? `The run ${toStatusText(run.status)}: it waits for no decision.`
          : 'The run waits for approval: use `run approve` or `run reject`.',
        EXIT.refused,
        pause === null ? [] : describePause(run),
      );
    const hosts = await Promise.all((options.host ?? []).map((host) => findServer(api, host)));
    const body = {
      stepKey: options.step ?? pause.stepKey,
      action: action as (typeof DECISION_ACTIONS)[number],
      // Prevents the decision from applying to a later pause, even at the same step.
      pauseSince: pause.since,
      ...(hosts.length > 0 ? { serverIds: hosts.map(({ id }) => id) } : {}),
      ...(options.comment ? { comment: options.comment } : {}),
    };
    const params = { path: { id: run.id } };
    reportRun(
      session,
      await requireAnswer(api.POST('/api/executions/{id}/decisions', { params, body, ...createIdempotencyHeaders() })),
    );
  });
}
