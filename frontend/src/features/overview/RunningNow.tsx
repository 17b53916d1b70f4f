import { Paper, Progress, Text } from '@mantine/core';
import type { RunningRun } from '../../api/types';
import { limit, plural } from '../../ui/format/format';
import { Elapsed, RelativeTime } from '../../ui/format/RelativeTime';
import { AnchorLink } from '../../ui/page/links';
import { queueText } from '../../ui/runs/queue-text';
import { StatusDot } from '../../ui/status/StatusBadge';
import { runStatusLabel, UNFINISHED } from '../../ui/status/statuses';
import { RunName } from '../../ui/runs/RunName';
import classes from './overview.module.css';
import { Section } from './Section';

interface Props {
  runs: readonly RunningRun[];
  count: number;
  /** Environment of all runs; absent = several. */
  environmentId?: string;
}

export function RunningNow({ runs, count, environmentId }: Props) {
  return (
    <Section
      title="Active runs"
      note={count === 0 ? 'No active runs.' : count.toLocaleString('en')}
      end={
        count > runs.length && (
          <AnchorLink to="/executions" search={{ status: UNFINISHED.join(','), environment: environmentId }} size="sm">
            All active runs
          </AnchorLink>
        )
      }
    >
      {runs.length > 0 && (
        <Paper component="ul" className={classes.rows} aria-label="Active runs">
          {runs.map((running) => (
            <li key={running.run.id} className={classes.row}>
              <Running {...running} />
            </li>
          ))}
        </Paper>
      )}
    </Section>
  );
}

function Running({ run, progress, usualDurationMs }: RunningRun) {
  const { stepName, stepNumber, stepCount, hostsDone, hostCount, percent } = progress;
  return (
    <>
      <span className={classes.rowIcon}>
        <StatusDot status={run.status} label={runStatusLabel(run)} size={18} />
      </span>
      <div className={classes.rowText}>
        <AnchorLink to="/executions/$id" params={{ id: run.id }} fw={550} className="rw-wrap-anywhere">
          <RunName run={run} />
        </AnchorLink>
        <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
          {run.queue
            ? queueText(run.queue)
            : stepNumber === null
              ? runStatusLabel(run)
              : `${run.status === 'RUNNING' ? '' : `${runStatusLabel(run)} · `}Step ${stepNumber} of ${stepCount}: ${stepName}`}
          {run.execution_mode === 'dry_run' && ' · dry run'} · {run.startedBy.name}
        </Text>
      </div>
      <div className={classes.progress}>
        <Progress
          value={percent}
          size="sm"
          color={run.status === 'PAUSED' ? 'yellow' : undefined}
          aria-label={`Progress of ${run.planName} in ${run.environmentName}`}
        />
        <Text size="xs" c="dimmed" mt={4} component="div">
          {stepNumber === null ? plural(hostCount, 'host') : `${hostsDone} of ${plural(hostCount, 'host')}`} ·{' '}
          {run.startedAt === null ? (
            <RelativeTime at={run.createdAt} />
          ) : (
            <Elapsed from={run.startedAt} to={run.finishedAt} />
          )}
          {usualDurationMs !== null && run.status === 'RUNNING' && ` of about ${limit(roughly(usualDurationMs))}`}
        </Text>
      </div>
    </>
  );
}

/** Seconds suffice for an estimate. */
const roughly = (ms: number): number => Math.max(1_000, Math.round(ms / 1_000) * 1_000);
