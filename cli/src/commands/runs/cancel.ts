import type { Command } from 'commander';
import { answerOf, once } from '../../client/api.ts';
import { runId } from '../../names/run-id.ts';
import { type CommonOptions, type Context, leaf, signedIn } from '../command.ts';
import { reportRun } from './report-run.ts';

export function addRunCancel(parent: Command, context: Context): void {
  const command = leaf(parent, 'cancel', 'Cancel a run: its commands get SIGTERM, then SIGKILL')
    .argument('<run>', 'id of the run, or address of its page')
    .option('--reason <text>', 'reason for the audit trail');
  signedIn<CommonOptions & { reason?: string }>(context, command, async (session, { reason }, argument) => {
    const params = { path: { id: runId(argument) } };
    const body = reason ? { reason } : {};
    reportRun(session, await answerOf(session.api.POST('/api/executions/{id}/cancel', { params, body, ...once() })));
  });
}
