import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPrinter } from '@tabler/icons-react';
import { useDocumentTitle } from '@mantine/hooks';
import { comparisonSummaryQuery } from '../../../api/queries/runs/comparison';
import { executionQuery } from '../../../api/queries/runs/executions';
import { pauseAnswersQuery } from '../../../api/queries/runs/steering';
import type { Execution } from '../../../api/types';
import { duration, exactTime, plural } from '../../../ui/format/format';
import { VisibleText } from '../../../ui/diff/VisibleText';
import { ActionButton } from '../../../ui/page/ActionButton';
import { AnchorLink } from '../../../ui/page/links';
import { UnloadedPage } from '../../../ui/page/UnloadedPage';
import { MODE_NAMES } from '../../../ui/runs/modes';
import { runStatusLabel, statusStyle } from '../../../ui/status/statuses';
import { differenceTexts } from '../compare/difference-text';
import { answerText } from '../run/pause-text';
import { wholeName } from '../run/step-name';
import { useAllHosts } from '../run/useAllHosts';
import { ReportFailures } from './ReportFailures';
import { reportHosts } from './report-hosts';
import classes from './report.module.css';

const route = getRouteApi('/app/executions/$id/report');

/** A run on paper: who, where, when, approvals, failures with output, hosts. */
export function ReportPage() {
  const { id } = route.useParams();
  const run = useQuery(executionQuery(id));
  return run.data ? <Report run={run.data} /> : <UnloadedPage title="Run report" query={run} />;
}

function Report({ run }: { run: Execution }) {
  useDocumentTitle(`${run.planName} ${run.id.slice(-8)}, run report · Runward`);
  return (
    <>
      <Group className={classes.screen} justify="space-between" maw="190mm" mx="auto" mb="sm">
        <AnchorLink to="/executions/$id" params={{ id: run.id }} search={{}}>
          Back to the run
        </AnchorLink>
        <ActionButton icon={IconPrinter} onClick={() => window.print()}>
          Print or save as PDF
        </ActionButton>
      </Group>
      <article className={classes.sheet} aria-label="Run report">
        <h1>{run.planName}</h1>
        <p>
          <b>{runStatusLabel(run)}</b>
          {run.statusReason && run.status !== 'SUCCEEDED' && `: ${run.statusReason.text}`}
        </p>
        <Facts run={run} />
        <Changes run={run} />
        <Approvals run={run} />
        <Answers run={run} />
        <ReportFailures run={run} />
        <Steps run={run} />
        <Hosts run={run} />
        <p className={classes.note}>
          {run.webUrl} · Times are local to this browser. Printed {exactTime(new Date().toISOString())}.
        </p>
      </article>
    </>
  );
}

function Facts({ run }: { run: Execution }) {
  const usual = useQuery(comparisonSummaryQuery(run.id)).data?.usualDuration;
  const { durationMs } = run.summary;
  const variables = Object.entries(run.variables).map(
    ([name, value]) => `${name}=${Array.isArray(value) ? value.join(', ') : String(value)}`,
  );
  const labels = Object.entries(run.labels).map(([name, value]) => `${name}=${value}`);
  const rows: [string, string | null][] = [
    ['Environment', run.environmentName],
    ['Plan', `${run.planName}, revision ${run.planRevision}`],
    ['Run ID', run.id],
    ['Mode', MODE_NAMES[run.execution_mode]],
    ['Hosts', `${plural(run.hostCount, 'host')}${run.targets ? `, ${run.targets}` : ''}`],
    ['Started by', run.schedule ? `${run.startedBy.name}, schedule ${run.schedule.name}` : run.startedBy.name],
    ['Requested', exactTime(run.createdAt)],
    ['Started', run.startedAt && exactTime(run.startedAt)],
    ['Finished', run.finishedAt && exactTime(run.finishedAt)],
    [
      'Duration',
      durationMs === null ? null : `${duration(durationMs)}${usual ? `, median ${duration(usual.medianMs)}` : ''}`,
    ],
    ['Variables', variables.join('; ') || null],
    ['Labels', labels.join('; ') || null],
    ['Note', run.note],
    ['Started despite a freeze', run.freezeOverride],
    ['Started outside the run windows', run.windowOverride],
  ];
  return (
    <table aria-label="Summary">
      <tbody>
        {rows.flatMap(([label, value]) =>
          value
            ? [
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td className="rw-pre-line">
                    <VisibleText text={value} />
                  </td>
                </tr>,
              ]
            : [],
        )}
      </tbody>
    </table>
  );
}

function Changes({ run }: { run: Execution }) {
  const { data } = useQuery(comparisonSummaryQuery(run.id));
  if (!data?.comparedTo) return null;
  const { comparedTo } = data;
  const texts = differenceTexts(data);
  return (
    <>
      <h2>Changes since the last success</h2>
      <p>
        {texts.length === 0 ? 'None' : texts.join(', ')}. Last success: revision {comparedTo.planRevision}, run{' '}
        {comparedTo.id.slice(-8)}
        {comparedTo.finishedAt && `, ${exactTime(comparedTo.finishedAt)}`}.
      </p>
    </>
  );
}

function Approvals({ run: { approval } }: { run: Execution }) {
  if (!approval) return null;
  return (
    <>
      <h2>Approvals</h2>
      <p>
        Requested by {approval.requestedBy.name}, {exactTime(approval.requestedAt)}. Required:{' '}
        {plural(approval.requiredApprovals, 'approval')}. State: {approval.state}.
      </p>
      {approval.decisions.map(({ user, decision, comment, at }) => (
        <p key={`${user.id} ${at}`}>
          <b>{user.name}</b> {decision} it, {exactTime(at)}
          {comment ? `: ${comment}` : '.'}
        </p>
      ))}
    </>
  );
}

function Answers({ run }: { run: Execution }) {
  const { data } = useQuery(pauseAnswersQuery(run.id));
  if (!data || data.items.length === 0) return null;
  return (
    <>
      <h2>Answers to pauses</h2>
      {data.moreAnswers > 0 && (
        <p className={classes.note}>{plural(data.moreAnswers, 'earlier answer')} not listed here.</p>
      )}
      {data.items.map((answer) => (
        <p key={`${answer.stepKey} ${answer.at}`}>
          <b>{answer.user.name}</b>: {answerText(answer, run.steps)}, {exactTime(answer.at)}
          {answer.comment ? (
            <>
              : <VisibleText text={answer.comment} />
            </>
          ) : (
            '.'
          )}
        </p>
      ))}
    </>
  );
}

function Steps({ run: { steps } }: { run: Execution }) {
  return (
    <>
      <h2>Steps</h2>
      <table aria-label="Steps">
        <tbody>
          {steps.map((step) => (
            <tr key={step.key}>
              <th scope="row">{wholeName(step)}</th>
              <td>
                {statusStyle(step.status).label}
                {step.reason && `: ${step.reason.text}`}
              </td>
              <td>{countsText(Object.entries(step.counts))}</td>
              <td>
                {step.startedAt &&
                  step.finishedAt &&
                  duration(Date.parse(step.finishedAt) - Date.parse(step.startedAt))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const countsText = (counts: [status: string, count: number][]): string =>
  counts
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count.toLocaleString('en')} ${statusStyle(status as 'FAILED').label.toLowerCase()}`)
    .join(', ');

function Hosts({ run }: { run: Execution }) {
  const { counts, listed, omitted, omittedFailed } = reportHosts(useAllHosts(run));
  return (
    <>
      <h2>Hosts</h2>
      <p>{countsText(counts)}</p>
      {listed.length > 0 && (
        <table aria-label="Hosts">
          <tbody>
            {listed.map(({ serverId, name, address, status }) => (
              <tr key={serverId}>
                <th scope="row">{name}</th>
                <td>{address}</td>
                <td>{statusStyle(status).label}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {omitted > 0 && (
        <p className={classes.note}>
          {plural(omitted, 'host')} not listed here
          {omittedFailed > 0 && `, ${omittedFailed.toLocaleString('en')} of them failed`}. The export of results as
          NDJSON has all hosts.
        </p>
      )}
    </>
  );
}
