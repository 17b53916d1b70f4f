import type { Command } from 'commander';
import { runId } from '../../names/run-id.ts';
import { countsOf, printOutcome } from '../../runs/report.ts';
import { pauseLines } from '../../runs/pauses.ts';
import { isPaused } from '../../runs/run.ts';
import { readRun } from '../../runs/wait.ts';
import { time } from '../../terminal/durations.ts';
import { type Context, leaf, signedIn } from '../command.ts';

export function addRunShow(parent: Command, context: Context): void {
  const command = leaf(parent, 'show', 'Show a run: its state, steps and hosts').argument(
    '<run>',
    'id of the run, or address of its page',
  );
  signedIn(context, command, async (session, _options, argument) => {
    const { out } = session;
    const run = await readRun(session, runId(argument));
    if (out.json) return out.record(run);
    printOutcome(session, run);
    if (isPaused(run)) for (const line of pauseLines(run)) out.line(`  ${out.safe(line)}`);
    out.line();
    out.facts([
      ['Id', run.id],
      ['Mode', run.execution_mode],
      ['Started', `${time(run.createdAt)} by ${run.startedBy.name}`],
      ['Finished', run.finishedAt === null ? null : time(run.finishedAt)],
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
      run.steps.map((step) => [step.key, step.status, countsOf(step.counts) || '–']),
    );
    out.line();
    out.table(
      ['host', 'address', 'status', 'last step'],
      run.hosts.map((host) => [host.name, host.address, host.status, host.lastStepKey]),
    );
    if (run.hostsNextCursor !== null) out.note('The run has more hosts. Use --json and hostsNextCursor to read them.');
  });
}
