import { requireAnswer, type Schemas } from '../client/api.ts';
import type { Session } from '../client/session.ts';
import type { Colour, Output } from '../terminal/output.ts';
import { formatTimeWithAge } from '../terminal/times.ts';
import type { Run } from './run.ts';

type Review = Schemas['ReviewView'];

/** Hosts, and lines of a difference, that a review lists; the page of the run shows all. */
const MAX_LISTED = 20;

/**
 * Prints what would run, on which hosts, and the differences from the last successful run.
 * @returns digest of what was shown
 */
export async function showReview(session: Session, run: Run): Promise<string> {
  const { api, out } = session;
  const review = await requireAnswer(api.GET('/api/executions/{id}/review', { params: { path: { id: run.id } } }));
  const { hosts, steps, variables, secretNames } = review;
  out.facts([
    ['Plan', `${run.planName}, revision ${run.planRevision}`],
    ['Environment', run.environmentName],
    ['Mode', run.execution_mode],
    ['Started', `${formatTimeWithAge(run.createdAt)} by ${run.startedBy.name}`],
    ['Note', run.note],
    ['Digest', review.digest],
  ]);
  printTable(
    session,
    ['variable', 'value'],
    [
      ...Object.entries(variables).map(([name, value]): string[] => [name, JSON.stringify(value)]),
      ...secretNames.map((name) => [name, '(secret)']),
    ],
  );
  printTable(
    session,
    [`${review.hostCount} hosts`, 'address'],
    hosts.slice(0, MAX_LISTED).map(({ name, address }) => [name, address]),
    review.hostCount - Math.min(hosts.length, MAX_LISTED),
  );
  for (const step of steps) {
    out.line();
    const notes = [step.leftOut ? 'left out' : `${step.hostCount} hosts`, step.become && `as ${step.become}`];
    out.line(out.paint('bold', out.safe(`== ${step.key} (${[step.type, ...notes].filter(Boolean).join(', ')})`)));
    if (step.when) out.line(out.safe(`when ${step.when}`));
    for (const line of step.text.split('\n')) out.line(`  ${out.safe(line)}`);
  }
  printDifferences(session, review);
  return review.digest;
}

function printDifferences({ out }: Session, review: Review): void {
  const { comparedTo, differences, moreDifferences, authors } = review;
  out.line();
  if (comparedTo === null) out.line('No successful run to compare with.');
  else if (differences.length === 0) out.line('No differences from the last successful run.');
  else {
    out.line(out.paint('bold', `Differences from the last successful run (${comparedTo.executionId}):`));
    for (const difference of differences) printDifference(out, difference);
    if (moreDifferences > 0) out.line(`and ${moreDifferences} more`);
  }
  const outside = authors.filter((author) => author.outside);
  for (const { kind, name, user, statedName } of outside)
    out.line(out.safe(`${kind} ${name}: ${user?.name ?? statedName ?? 'an unknown author'} may not run here.`));
}

export function printDifference(
  out: Output,
  { kind, name, change, before, after }: Review['differences'][number],
): void {
  out.line(out.safe(`${kind} ${name}: ${change}`));
  const print = (text: string | null, sign: '-' | '+', colour: Colour) => {
    const lines = text === null ? [] : text.split('\n');
    for (const line of lines.slice(0, MAX_LISTED)) out.line(out.paint(colour, `  ${sign} ${out.safe(line)}`));
    if (lines.length > MAX_LISTED) out.line(`    and ${lines.length - MAX_LISTED} more lines`);
  };
  print(before, '-', 'red');
  print(after, '+', 'green');
}

function printTable({ out }: Session, headings: string[], rows: string[][], more = 0): void {
  if (rows.length === 0) return;
  out.line();
  out.table(headings, rows);
  if (more > 0) out.line(`and ${more} more`);
}
