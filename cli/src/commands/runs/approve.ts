import type { Command } from 'commander';
import { answerOf, once } from '../../client/api.ts';
import { runId } from '../../names/run-id.ts';
import { type CommonOptions, type Context, leaf, signedIn } from '../command.ts';
import { tellRun } from './tell-run.ts';

interface Options extends CommonOptions {
  digest: string;
  comment?: string;
}

export function addRunApprove(parent: Command, context: Context): void {
  const command = leaf(parent, 'approve', 'Approve a run in a protected environment')
    .argument('<run>', 'id, or address of its page')
    .requiredOption('--digest <digest>', 'of what you looked at, as `run show` tells it: anything else is refused')
    .option('--comment <text>', 'for the trail');
  signedIn<Options>(context, command, async (session, { digest, comment }, argument) => {
    const params = { path: { id: runId(argument) } };
    const body = { digest, ...(comment ? { comment } : {}) };
    tellRun(session, await answerOf(session.api.POST('/api/executions/{id}/approve', { params, body, ...once() })));
  });
}

export function addRunReject(parent: Command, context: Context): void {
  const command = leaf(parent, 'reject', 'Reject a run: it ends before any host is touched')
    .argument('<run>', 'id, or address of its page')
    .requiredOption('--comment <text>', 'why: the one who started it reads that')
    .option('--digest <digest>', 'of what you looked at');
  signedIn<CommonOptions & { digest?: string; comment: string }>(
    context,
    command,
    async (session, options, argument) => {
      const params = { path: { id: runId(argument) } };
      const body = { comment: options.comment, ...(options.digest ? { digest: options.digest } : {}) };
      tellRun(session, await answerOf(session.api.POST('/api/executions/{id}/reject', { params, body, ...once() })));
    },
  );
}
