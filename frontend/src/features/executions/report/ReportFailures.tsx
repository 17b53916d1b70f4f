import { useQuery } from '@tanstack/react-query';
import { outputPartQuery } from '../../../api/queries/runs/comparison';
import type { Execution, FailureCause } from '../../../api/types';
import { VisibleText } from '../../../ui/diff/VisibleText';
import { lastState } from '../../../ui/format/last-state';
import { plural } from '../../../ui/format/format';
import { statusStyle } from '../../../ui/status/statuses';
import { toLogWindow } from '../output/log/log-window';
import { spansOf } from '../output/lines/ansi';
import { nameOfStep } from '../run/step-name';
import { useAllHosts } from '../run/useAllHosts';
import { useFailureCauses } from '../run/useFailureCauses';
import classes from './report.module.css';

const MAX_CAUSES = 10;
const MAX_NAMES = 50;
const EXCERPT_LINES = 20;
const MAX_LINE_CHARACTERS = 500;

/** Failures by cause, with the last lines of output of the first host. */
export function ReportFailures({ run }: { run: Execution }) {
  const { data } = useFailureCauses(run);
  const hosts = useAllHosts(run);
  if (!data || data.items.length === 0) return null;
  const names = new Map(hosts.map(({ serverId, name }) => [serverId, name]));
  const listed = data.items.slice(0, MAX_CAUSES);
  const omitted = data.items.length - listed.length + data.moreCauses;
  return (
    <>
      <h2>Failures</h2>
      {listed.map((cause) => (
        <Cause key={cause.key} run={run} cause={cause} nameOf={(serverId) => names.get(serverId) ?? serverId} />
      ))}
      {omitted > 0 && <p className={classes.note}>{plural(omitted, 'more cause')} not listed here.</p>}
    </>
  );
}

interface CauseProps {
  run: Execution;
  cause: FailureCause;
  nameOf: (serverId: string) => string;
}

function Cause({ run, cause, nameOf }: CauseProps) {
  const { stepKey, status, exitCode, text, firstHost, serverIds } = cause;
  const place = { tail: EXCERPT_LINES };
  const { data } = useQuery(outputPartQuery(run.id, { stepKey, serverId: firstHost.serverId, place }));
  const lines = data ? toLogWindow(data).lines : [];
  const more = serverIds.length - MAX_NAMES;
  return (
    <div className={classes.cause}>
      <p>
        <b>
          <VisibleText text={text ?? statusStyle(status).label} />
        </b>
        <br />
        {statusStyle(status).label}
        {exitCode !== null && `, exit code ${exitCode}`}, {nameOfStep(run.steps, stepKey)},{' '}
        {plural(serverIds.length, 'host')}: {serverIds.slice(0, MAX_NAMES).map(nameOf).join(', ')}
        {more > 0 && ` and ${more.toLocaleString('en')} more`}
      </p>
      {lines.length > 0 && (
        <pre aria-label={`Last lines of output of ${firstHost.serverName}`}>
          {lines.map(({ text: line }) => plainText(line)).join('\n')}
        </pre>
      )}
    </div>
  );
}

const plainText = (line: string): string =>
  spansOf(lastState(line))
    .map(({ text }) => text)
    .join('')
    .slice(0, MAX_LINE_CHARACTERS);
