import { Button, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditLog } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../ui/feedback/Skeletons';
import type { ListState } from '../../ui/tables/DataTable';
import classes from './audit.module.css';
import { TimelineEntry } from './TimelineEntry';

interface Props {
  list: ListState<AuditLog>;
  empty: ReactNode;
}

const dayOf = (at: string): string =>
  new Date(at).toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** Entries as sentences, by day of the browser's time zone, newest first. */
export function AuditTimeline({ list, empty }: Props) {
  const { rows, error, refetch, more } = list;
  if (rows === undefined) return error ? <ErrorPanel error={error} onRetry={refetch} /> : <RowsSkeleton />;
  if (rows.length === 0) return <Paper>{empty}</Paper>;
  const days = new Map<string, AuditLog[]>();
  for (const entry of rows) days.set(dayOf(entry.at), [...(days.get(dayOf(entry.at)) ?? []), entry]);
  return (
    <>
      {[...days].map(([day, entries]) => (
        <section key={day} aria-label={day}>
          <Title order={2} size="h4" mb="xs">
            {day}
          </Title>
          <Paper component="ul" className={classes.entries} aria-label={`Entries of ${day}`}>
            {entries.map((entry) => (
              <TimelineEntry key={entry.id} entry={entry} />
            ))}
          </Paper>
        </section>
      ))}
      {Boolean(error) && <ErrorPanel error={error} onRetry={refetch} />}
      {more ? (
        <Button variant="default" className="rw-align-start" loading={more.loading} onClick={more.load}>
          Load more
        </Button>
      ) : (
        <Text size="xs" c="dimmed">
          No earlier entries.
        </Text>
      )}
    </>
  );
}
