import type { Command } from 'commander';
import { requireAnswer, createIdempotencyHeaders } from '../../client/api.ts';
import { parseRunId } from '../../names/run-id.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { reportRun } from './report-run.ts';

interface Options extends CommonOptions {
  digest: string;
  comment?: string;
}

export function addRunApprove(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'approve', 'Approve a run in a protected environment')
    .argument('<run>', 'id of the run, or address of its page')
    .requiredOption('--digest <digest>', 'digest from `run show`; the approval is refused if the run has changed')
    .option('--comment <text>', 'comment for the audit trail');
  addSignedInAction<Options>(context, command, async (session, { digest, comment }, argument) => {
    const params = { path: { id: parseRunId(argument) } };
    const body = { digest, ...(comment ? { comment } : {}) };
    reportRun(
      session,
      await requireAnswer(
        session.api.POST('/api/executions/{id}/approve', { params, body, ...createIdempotencyHeaders() }),
      ),
    );
  });
}

export function addRunReject(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'reject', 'Reject a run before it touches any host')
    .argument('<run>', 'id of the run, or address of its page')
    .requiredOption('--comment <text>', 'reason, shown to the requester')
    .option('--digest <digest>', 'digest of the run that you reviewed');
  addSignedInAction<CommonOptions & { digest?: string; comment: string }>(
    context,
    command,
    async (session, options, argument) => {
      const params = { path: { id: parseRunId(argument) } };
      const body = { comment: options.comment, ...(options.digest ? { digest: options.digest } : {}) };
      reportRun(
        session,
        await requireAnswer(
          session.api.POST('/api/executions/{id}/reject', { params, body, ...createIdempotencyHeaders() }),
        ),
      );
    },
  );
}
