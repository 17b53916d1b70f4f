import type { Command } from 'commander';
import type { Session } from '../../client/session.ts';
import { formatPairs } from '../../names/pairs.ts';
import { findRunId } from '../../names/run-id.ts';
import { toCountsText, printOutcome } from '../../runs/report.ts';
import { describePause } from '../../runs/pauses.ts';
import { isPaused, RUN_ARGUMENT, type Run } from '../../runs/run.ts';
import { readRun } from '../../runs/wait.ts';
import { formatTimeWithAge } from '../../terminal/times.ts';
import { addFormatOption, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { printRecord } from '../limit.ts';

export function addRunShow(parent: Command, context: Context): void {
  const command = addFormatOption(addSubcommand(parent, 'show', 'Show a run: its state, steps and hosts')).argument(
    '<run>',
    RUN_ARGUMENT,
  );
  addSignedInAction(context, command, async (session, _options, argument) => {
    const run = await readRun(session, await findRunId(session, argument));
    printRecord(session.out, run, () => printWholeRun(session, run));
  });
}

function printWholeRun(session: Session, run: Run): void {
  const { out } = session;
  printOutcome(session, run);
  if (isPaused(run)) for (const line of describePause(run)) out.line(`  ${out.safe(line)}`);
  out.line();
  out.facts([
    ['Id', run.id],
    ['Mode', run.execution_mode],
    ['Started', `${formatTimeWithAge(run.createdAt)} by ${run.startedBy.name}`],
    ['Finished', run.finishedAt === null ? null : formatTimeWithAge(run.finishedAt)],
    ['Targets', run.targets || null],
    ['Digest', run.digest],
    ['Note', run.note],
    ['Labels', formatPairs(run.labels) || null],
  ]);
  out.line();
  out.table(
    ['step', 'status', 'hosts'],
    run.steps.map((step) => [step.key, step.status, toCountsText(step.counts) || '–']),
  );
  out.line();
  out.table(
    ['host', 'address', 'status', 'last step'],
    run.hosts.map((host) => [host.name, host.address, host.status, host.lastStepKey]),
  );
  if (run.hostsNextCursor !== null) out.note('The run has more hosts. Use --json and hostsNextCursor to read them.');
}
