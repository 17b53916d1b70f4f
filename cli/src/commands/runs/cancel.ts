import type { Command } from 'commander';
import { requireAnswer, createIdempotencyHeaders } from '../../client/api.ts';
import { findRunId } from '../../names/run-id.ts';
import { RUN_ARGUMENT } from '../../runs/run.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { reportRun } from './report-run.ts';

export function addRunCancel(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'cancel', 'Cancel a run: its commands get SIGTERM, then SIGKILL')
    .argument('<run>', RUN_ARGUMENT)
    .option('--reason <text>', 'reason for the audit trail');
  addSignedInAction<CommonOptions & { reason?: string }>(context, command, async (session, { reason }, argument) => {
    const params = { path: { id: await findRunId(session, argument) } };
    const body = reason ? { reason } : {};
    reportRun(
      session,
      await requireAnswer(
        session.api.POST('/api/executions/{id}/cancel', { params, body, ...createIdempotencyHeaders() }),
      ),
    );
  });
}
