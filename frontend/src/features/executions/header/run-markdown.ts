import type { Execution, FailureCause, PauseAnswer } from '../../../api/types';
import { duration, plural } from '../../../ui/format/format';
import { runStatusLabel, statusStyle } from '../../../ui/status/statuses';
import { MODE_NAMES } from '../../../ui/runs/modes';
import { answerText } from '../run/pause-text';
import { nameOfStep } from '../run/step-name';

/** Names of hosts that are listed for each cause. */
const MAX_HOSTS = 20;

const escapeMarkdown = (text: string): string => text.replaceAll(/[\\`*_{}[\]<>()#+!|~&-]/g, String.raw`\$&`);

/**
 * Summary of a run to paste into a ticket.
 * @param nameOf returns the name of a host of the run
 */
export function runMarkdown(
  run: Execution,
  causes: readonly FailureCause[],
  answers: readonly PauseAnswer[],
  nameOf: (serverId: string) => string,
): string {
  const { durationMs } = run.summary;
  const rows: [string, string | null][] = [
    ['Status', `**${runStatusLabel(run)}**`],
    ['Environment', escapeMarkdown(run.environmentName)],
    ['Plan', `revision ${run.planRevision}`],
    ['Mode', MODE_NAMES[run.execution_mode]],
    ['Hosts', String(run.hostCount)],
    ['Started by', escapeMarkdown(run.startedBy.name)],
    ['Started', run.startedAt],
    ['Duration', durationMs === null ? null : duration(durationMs)],
    ['Note', run.note === null ? null : oneLine(run.note)],
    ['Run', `<${run.webUrl}>`],
  ];
  const table = rows.flatMap(([name, value]) => (value ? [`| ${name} | ${value} |`] : []));
  return [
    `### ${escapeMarkdown(run.planName)}`,
    '',
    '| | |',
    '|---|---|',
    ...table,
    ...decisionLines(run, answers),
    ...causeLines(run, causes, nameOf),
    '',
  ].join('\n');
}

const oneLine = (text: string): string => escapeMarkdown(text.replaceAll(/\s+/g, ' '));

function decisionLines({ approval, steps }: Execution, answers: readonly PauseAnswer[]): string[] {
  const made = [
    ...(approval?.decisions ?? []).map(({ user, decision, at, comment }) => ({ user, text: decision, at, comment })),
    ...answers.map((answer) => ({ ...answer, text: answerText(answer, steps) })),
  ];
  if (made.length === 0) return [];
  return [
    '',
    '#### Decisions',
    '',
    ...made.map(
      ({ user, text, at, comment }) =>
        `- **${escapeMarkdown(user.name)}**: ${oneLine(text)}, ${at}${comment ? `: ${oneLine(comment)}` : ''}`,
    ),
  ];
}

function causeLines(run: Execution, causes: readonly FailureCause[], nameOf: (serverId: string) => string): string[] {
  if (causes.length === 0) return [];
  return [
    '',
    '#### Failures',
    '',
    ...causes.map(({ stepKey, status, exitCode, text, serverIds }) => {
      const names = serverIds.slice(0, MAX_HOSTS).map(nameOf).map(escapeMarkdown).join(', ');
      const more = serverIds.length > MAX_HOSTS ? ` and ${serverIds.length - MAX_HOSTS} more` : '';
      const code = exitCode === null ? '' : `, exit code ${exitCode}`;
      const where = `${escapeMarkdown(nameOfStep(run.steps, stepKey))} on ${plural(serverIds.length, 'host')}`;
      return `- **${escapeMarkdown(text ?? statusStyle(status).label)}**: ${where}${code}. ${names}${more}`;
    }),
  ];
}
