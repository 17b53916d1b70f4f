import { Button, Paper, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import type { OpenFailure, Overview } from '../../api/types';
import { plural } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AnchorLink } from '../../ui/page/links';
import { StatusDot } from '../../ui/status/StatusBadge';
import { statusStyle, UNSUCCESSFUL } from '../../ui/status/statuses';
import { RunName } from '../../ui/runs/RunName';
import classes from './overview.module.css';
import { Section } from './Section';

type Props = Pick<Overview, 'openFailures' | 'openFailureCount' | 'openFailuresIncomplete'> & {
  /** Environment of all failures; absent = several. */
  environmentId?: string;
  onRerun: (runId: string) => void;
};

export function OpenFailures({
  openFailures,
  openFailureCount,
  openFailuresIncomplete,
  environmentId,
  onRerun,
}: Props) {
  return (
    <Section
      title="Open failures"
      note={openFailureCount === 0 ? 'No open failures.' : `${openFailureCount}${openFailuresIncomplete ? '+' : ''}`}
      end={
        <AnchorLink to="/executions" search={{ status: UNSUCCESSFUL.join(','), environment: environmentId }} size="sm">
          All failed runs
        </AnchorLink>
      }
    >
      {openFailures.length > 0 && (
        <Paper component="ul" className={classes.rows} aria-label="Open failures">
          {openFailures.map((failure) => (
            <li key={failure.run.id} className={classes.row}>
              <Failure failure={failure} onRerun={onRerun} />
            </li>
          ))}
        </Paper>
      )}
    </Section>
  );
}

function Failure({ failure, onRerun }: { failure: OpenFailure; onRerun: (runId: string) => void }) {
  const { run, stepName, failedRuns, lastSuccessAt } = failure;
  return (
    <>
      <span className={classes.rowIcon}>
        <StatusDot status={run.status} size={18} />
      </span>
      <div className={classes.rowText}>
        <AnchorLink to="/executions/$id" params={{ id: run.id }} fw={550} className="rw-wrap-anywhere">
          <RunName run={run} />
        </AnchorLink>
        <Text className={classes.cause}>{causeText(failure)}</Text>
        <Text size="xs" c="dimmed" component="div" className="rw-wrap-anywhere">
          {[hostsText(failure), stepName && `in ${stepName}`].filter(Boolean).join(' ')}
          {(failure.failedHosts > 0 || stepName) && ' · '}
          <RelativeTime at={run.finishedAt ?? run.createdAt} />
          {failedRuns > 1 && ` · failed ${failedRuns} times`}
          {lastSuccessAt ? (
            <>
              {' '}
              · last success <RelativeTime at={lastSuccessAt} />
            </>
          ) : (
            ' · never succeeded here'
          )}
        </Text>
      </div>
      <div className={classes.actions}>
        <Can role="operator">
          <Button
            variant="default"
            leftSection={<IconRefresh size={15} aria-hidden />}
            aria-label={`Rerun: ${run.planName} in ${run.environmentName}`}
            onClick={() => onRerun(run.id)}
          >
            Rerun
          </Button>
        </Can>
      </div>
    </>
  );
}

/** The output says more than the status. */
const causeText = ({ run, cause }: OpenFailure): string =>
  cause?.text ?? cause?.reason?.text ?? run.statusReason?.text ?? statusStyle(run.status).label;

/** Names the only host, otherwise the first ones and how many more failed. */
export function hostsText({ hostNames, failedHosts }: Pick<OpenFailure, 'hostNames' | 'failedHosts'>): string {
  if (failedHosts === 0) return '';
  const more = failedHosts - hostNames.length;
  if (hostNames.length === 0) return plural(failedHosts, 'host');
  return more > 0 ? `${hostNames.join(', ')} and ${more.toLocaleString('en')} more` : hostNames.join(', ');
}
