import { Text } from '@mantine/core';
import type { ServerHistory } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { StatusDot } from '../../../ui/status/StatusBadge';
import classes from './history.module.css';

/** Latest run of each plan, by its result on this server. */
export function RanHereLast({ history: { results, moreResults } }: { history: ServerHistory }) {
  if (results.length === 0) return <Text c="dimmed">No runs on this server yet.</Text>;
  return (
    <>
      {/* Scrolls, so it takes the focus of the keyboard. */}
      <ul className={`rw-plain-list ${classes.list}`} tabIndex={0} aria-label="Latest run of each plan">
        {results.map(({ planId, planName, executionId, hostStatus, finishedAt, startedAt, planRevision }) => (
          <li key={planId} className={classes.row}>
            <StatusDot status={hostStatus} />
            <AnchorLink to="/executions/$id" params={{ id: executionId }} className="rw-wrap-anywhere">
              {planName}
            </AnchorLink>
            <span className={classes.small}>
              rev {planRevision} · <RelativeTime at={finishedAt ?? startedAt} />
            </span>
          </li>
        ))}
      </ul>
      {moreResults && <Text c="dimmed">Only the 50 plans that ran last are listed.</Text>}
    </>
  );
}
