import type { Session } from '../client/session.ts';
import { formatDuration } from '../terminal/durations.ts';
import { getSummary, getUnknownHosts, type Run, toStatusText } from './run.ts';

export function printOutcome({ out }: Session, run: Run): void {
  const summary = getSummary(run);
  const durationText = summary.durationMs === null ? '' : ` after ${formatDuration(summary.durationMs)}`;
  const colour = !run.finished ? 'yellow' : run.successful ? 'green' : 'red';
  out.line(
    `${out.paint(colour, run.status)}  ${out.safe(run.planName)} in ${out.safe(run.environmentName)} ${toStatusText(run.status)}${durationText}`,
  );
  if (run.statusReason && !run.successful) out.line(`  ${out.safe(run.statusReason.text)}`);
  const hosts = toCountsText(summary.hostCounts);
  if (hosts) out.line(`  Hosts: ${hosts}`);
  if (summary.verdicts) {
    out.line(`  Verdicts: ${toCountsText(summary.verdicts) || 'nothing to do'}`);
    out.line(`  Digest: ${run.digest}`);
  }
  const { firstFailure: failure } = summary;
  if (failure) {
    const code = failure.exitCode === null ? '' : `, exit code ${failure.exitCode}`;
    out.line(
      `  First failure: ${out.safe(failure.serverName)} in ${out.safe(failure.stepKey)}: ${failure.status}${code}`,
    );
    if (failure.reason) out.line(`    ${out.safe(failure.reason.text)}`);
    for (const line of (failure as Partial<typeof failure>).lastLines ?? []) out.line(`    | ${out.safe(line)}`);
  }
  for (const host of getUnknownHosts(run))
    out.line(`  Unknown result: ${out.safe(host.stepKey)} on ${out.safe(host.name)}`);
  out.line(`  ${out.safe(run.webUrl)}`);
}

/** Returns text such as `3 SUCCEEDED, 1 FAILED`. */
export const toCountsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
