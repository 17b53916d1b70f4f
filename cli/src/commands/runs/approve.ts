import type { Command } from 'commander';
import { requireAnswer, createIdempotencyHeaders } from '../../client/api.ts';
import type { Session } from '../../client/session.ts';
import { showReview } from '../../runs/review.ts';
import { readRun } from '../../runs/wait.ts';
import { EXIT } from '../../terminal/exit-codes.ts';
import { usage } from '../../terminal/failure.ts';
import { findRunId } from '../../names/run-id.ts';
import { RUN_ARGUMENT } from '../../runs/run.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { reportRun } from './report-run.ts';

interface Options extends CommonOptions {
  digest?: string;
  yes?: boolean;
  comment?: string;
}

export function addRunApprove(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'approve', 'Approve a run in a protected environment, after a review')
    .argument('<run>', RUN_ARGUMENT)
    .option('--digest <digest>', 'digest that you reviewed; the approval is refused if the run has changed')
    .option('--yes', 'approve without a review and a question')
    .option('--comment <text>', 'comment for the audit trail');
  addSignedInAction<Options>(context, command, async (session, options, argument) => {
    const { comment } = options;
    if (options.digest === undefined && !options.yes && !canAsk(session))
      throw usage('Without a terminal, `run approve` needs --digest (shown by `run show`) or --yes.');
    const id = await findRunId(session, argument);
    const digest = options.digest ?? (await chooseDigest(session, id, options.yes === true));
    if (digest === null) {
      session.out.note('Not approved.');
      return EXIT.failed;
    }
    const params = { path: { id } };
    const body = { digest, ...(comment ? { comment } : {}) };
    reportRun(
      session,
      await requireAnswer(
        session.api.POST('/api/executions/{id}/approve', { params, body, ...createIdempotencyHeaders() }),
      ),
    );
    return EXIT.succeeded;
  });
}

const canAsk = ({ out, surroundings: { stdin, stdout } }: Session): boolean =>
  stdin.isTTY && stdout.isTTY && !out.isStructured;

/** Returns the digest to approve; null = the user declined. */
async function chooseDigest(session: Session, id: string, yes: boolean): Promise<string | null> {
  const { out, surroundings } = session;
  const run = await readRun(session, id);
  if (yes) return run.digest;
  const digest = await showReview(session, run);
  const answer = await surroundings.stdin.readLine(out.question('\nApprove this run? [y]es, [N]o: '));
  return /^y(?:es)?$/i.test(answer?.trim() ?? '') ? digest : null;
}

export function addRunReject(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'reject', 'Reject a run before it touches any host')
    .argument('<run>', RUN_ARGUMENT)
    .requiredOption('--comment <text>', 'reason, shown to the requester')
    .option('--digest <digest>', 'digest of the run that you reviewed');
  addSignedInAction<CommonOptions & { digest?: string; comment: string }>(
    context,
    command,
    async (session, options, argument) => {
      const params = { path: { id: await findRunId(session, argument) } };
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
