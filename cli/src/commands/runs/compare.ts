import type { Command } from 'commander';
import { requireAnswer, type Schemas } from '../../client/api.ts';
import type { Session } from '../../client/session.ts';
import { findRunId } from '../../names/run-id.ts';
import { printDifference } from '../../runs/review.ts';
import { formatDuration } from '../../terminal/durations.ts';
import { type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { RUN_ARGUMENT } from '../../runs/run.ts';

type Comparison = Schemas['RunComparisonView'];

export function addRunCompare(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'compare', 'Compare a run with an earlier run')
    .argument('<run>', RUN_ARGUMENT)
    .argument('[earlier]', 'earlier run (default: the last successful run of the plan in the environment)');
  addSignedInAction(context, command, async (session, _options, argument, earlier?: string) => {
    const id = await findRunId(session, argument);
    const query = earlier === undefined ? {} : { with: await findRunId(session, earlier) };
    const comparison = await requireAnswer(
      session.api.GET('/api/executions/{id}/comparison', { params: { path: { id }, query } }),
    );
    if (session.out.isStructured) session.out.record(comparison);
    else printComparison(session, comparison);
  });
}

function printComparison({ out }: Session, { run, comparedTo, ...comparison }: Comparison): void {
  if (comparedTo === null) {
    out.line('No earlier run of the plan succeeded in the environment.');
    return;
  }
  out.table(
    ['', 'id', 'plan', 'environment', 'status', 'hosts', 'duration'],
    [comparedTo, run].map((each, index) => [
      index === 0 ? 'earlier' : 'this',
      each.id,
      `${each.planName}, revision ${each.planRevision}`,
      each.environmentName,
      each.status,
      String(each.hostCount),
      each.durationMs === null ? null : formatDuration(each.durationMs),
    ]),
  );
  out.line();
  if (comparison.differences.length === 0) out.line('No differences.');
  for (const difference of comparison.differences) printDifference(out, difference);
  if (comparison.moreDifferences > 0) out.line(`and ${comparison.moreDifferences} more`);
  out.line();
  out.table(
    ['step', 'earlier', 'this'],
    comparison.steps.map(({ key, before, after }) => [key, toStepText(before), toStepText(after)]),
  );
}

const toStepText = (step: Comparison['steps'][number]['before']): string | null =>
  step && [step.status, step.durationMs === null ? null : formatDuration(step.durationMs)].filter(Boolean).join(', ');
