import { Paper, Skeleton, Text } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { latestChangesQuery } from '../../api/queries/access/audit';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AnchorLink } from '../../ui/page/links';
import { changeText } from '../../ui/format/change-text';
import classes from './overview.module.css';
import { Section } from './Section';

const REFRESH_MS = 60_000;

/** Latest changes of plans, environments, grants, keys and schedules. Only admins can read the audit trail. */
export function RecentChanges() {
  const { data, error, refetch } = useQuery({ ...latestChangesQuery, refetchInterval: REFRESH_MS });
  return (
    <Section
      title="Recent changes"
      end={
        <AnchorLink to="/audit" search={{}} size="sm">
          Audit trail
        </AnchorLink>
      }
    >
      {error && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={280} />
      ) : data.length === 0 ? (
        <Text c="dimmed">No changes yet.</Text>
      ) : (
        <Paper component="ul" className={classes.rows} aria-label="Recent changes">
          {data.map(({ id, at, actor, action, resourceName }) => (
            <li key={id} className={classes.row}>
              <span className={`${classes.rowIcon} ${classes.muted}`}>
                <IconPencil size={16} aria-hidden />
              </span>
              <Text className={`${classes.rowText} rw-wrap-anywhere`}>
                {actor.name ?? 'Runward'} {changeText(action)}{' '}
                <AnchorLink to="/audit" search={{ entry: id, at }} fw={550}>
                  {resourceName ?? 'record'}
                </AnchorLink>
              </Text>
              <span className={classes.small}>
                <RelativeTime at={at} />
              </span>
            </li>
          ))}
        </Paper>
      )}
    </Section>
  );
}
