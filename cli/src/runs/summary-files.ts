import type { Session } from '../client/session.ts';
import { formatDuration } from '../terminal/durations.ts';
import { appendToFile } from '../terminal/files.ts';
import { toCountsText } from './report.ts';
import { getSummary, toExitCode, type Run } from './run.ts';

/**
 * Appends `NAME=value` lines for GITHUB_OUTPUT of GitHub or a dotenv report of GitLab. Removes line ends from values.
 */
export async function appendOutputs({ surroundings }: Session, file: string, run: Run): Promise<void> {
  const { verdicts, changingHosts, blockedHosts } = getSummary(run);
  const values: Record<string, string | number> = {
    run_id: run.id,
    status: run.status,
    url: new URL(run.webUrl).href,
    digest: run.digest,
    exit_code: toExitCode(run),
    hosts: run.hostCount,
    ...(verdicts === null ? {} : { changing_hosts: changingHosts ?? 0, blocked_hosts: blockedHosts ?? 0 }),
  };
  const lines = Object.entries(values).map(([name, value]) => `${name}=${String(value).replace(/[\r\n]/g, '')}\n`);
  await appendToFile(file, surroundings, lines.join(''));
}

export async function appendMarkdown({ surroundings, out }: Session, file: string, run: Run): Promise<void> {
  const { verdicts, durationMs, hostCounts, firstFailure: failure } = getSummary(run);
  const cell = (text: string) => out.safe(text).replace(/[\\`*_{}[\]<>()#+!|~&-]/g, '\\$&');
  const rows: [name: string, value: string | null][] = [
    ['Status', `**${run.status}**`],
    ['Environment', cell(run.environmentName)],
    ['Mode', cell(run.execution_mode)],
    ['Hosts', toCountsText(hostCounts) || '–'],
    ['It shows', verdicts === null ? null : toCountsText(verdicts) || 'nothing to do'],
    ['Duration', durationMs === null ? null : formatDuration(durationMs)],
    ['Reason', run.statusReason && !run.successful ? cell(run.statusReason.text) : null],
    ['First failure', failure && `${cell(failure.serverName)} in ${cell(failure.stepKey)}: ${failure.status}`],
    ['Run', `<${new URL(run.webUrl).href}>`],
  ];
  const lines = rows.filter(([, value]) => value !== null).map(([name, value]) => `| ${name} | ${value} |`);
  const text = [`### ${cell(run.planName)}`, '', '| | |', '|---|---|', ...lines, '', ''].join('\n');
  await appendToFile(file, surroundings, out.secrets.removeSecrets(text));
}
