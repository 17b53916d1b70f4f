import type { Command } from 'commander';
import { parseRunId } from '../../names/run-id.ts';
import { toCountsText, printOutcome } from '../../runs/report.ts';
import { describePause } from '../../runs/pauses.ts';
import { isPaused } from '../../runs/run.ts';
import { readRun } from '../../runs/wait.ts';
import { formatTime } from '../../terminal/durations.ts';
import { type Context, addSubcommand, addSignedInAction } from '../command.ts';

export function addRunShow(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'show', 'Show a run: its state, steps and hosts').argument(
    '<run>',
    'id of the run, or address of its page',
  );
  addSignedInAction(context, command, async (session, _options, argument) => {
    const { out } = session;
    const run = await readRun(session, parseRunId(argument));
    if (out.json) return out.record(run);
    printOutcome(session, run);
    if (isPaused(run)) for (const line of describePause(run)) out.line(`  ${out.safe(line)}`);
    out.line();
    out.facts([
      ['Id', run.id],
      ['Mode', run.execution_mode],
      ['Started', `${formatTime(run.createdAt)} by ${run.startedBy.name}`],
      ['Finished', run.finishedAt === null ? null : formatTime(run.finishedAt)],
      ['Targets', run.targets || null],
      ['Digest', run.digest],
      ['Note', run.note],
      [
        'Labels',
        Object.entries(run.labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(', ') || null,
      ],
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
  });
}
