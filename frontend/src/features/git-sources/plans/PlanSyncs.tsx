import { Accordion, Alert, Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { planSyncsQuery } from '../../../api/queries/plans/plan-syncs';
import type { GitSource, PlanSync } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { plural } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { SourceFileLink } from '../../../ui/git/SourceFileLink';
import { AnchorLink } from '../../../ui/page/links';
import { shortCommit } from '../state/source-state';

/** Lists the results of plan syncs by commit. The latest comes first and is expanded. */
export function PlanSyncs({ source }: { source: GitSource }) {
  const syncs = useInfiniteQuery(planSyncsQuery(source.id, source.planSync?.id ?? null));
  if (!syncs.data)
    return syncs.error ? <ErrorPanel error={syncs.error} onRetry={() => void syncs.refetch()} /> : <RowsSkeleton />;
  const items = syncs.data.pages.flatMap((page) => page.items);
  const [latest] = items;
  if (!latest) return <Text c="dimmed">No commits synced yet.</Text>;
  return (
    <Stack gap="sm">
      <Accordion key={latest.id} defaultValue={latest.id} order={2} variant="contained">
        {items.map((sync) => (
          <Accordion.Item key={sync.id} value={sync.id}>
            <Accordion.Control>
              <Group gap="6px 10px">
                <Code>{shortCommit(sync.commit)}</Code>
                <SyncCounts sync={sync} />
                <Text c="dimmed" component="span">
                  <RelativeTime at={sync.at} />
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Outcome sync={sync} sourceId={source.id} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {syncs.hasNextPage && (
        <Button
          variant="default"
          loading={syncs.isFetchingNextPage}
          onClick={() => void syncs.fetchNextPage()}
          className="rw-align-center"
        >
          Load more
        </Button>
      )}
    </Stack>
  );
}

function SyncCounts({ sync }: { sync: PlanSync }) {
  const counts: [number, string, string][] = [
    [sync.createdCount, 'created', 'green'],
    [sync.changedCount, 'changed', 'blue'],
    [sync.removedCount, 'removed', 'gray'],
    [sync.keptCount, 'kept', 'yellow'],
    [sync.invalidCount, 'invalid', 'red'],
    [sync.leftOut, 'skipped', 'yellow'],
  ];
  const nonZeroCounts = counts.filter(([count]) => count > 0);
  if (sync.reason !== null) return <Text component="span">Sync failed</Text>;
  return (
    <>
      {nonZeroCounts.map(([count, what, color]) => (
        <Badge key={what} variant="light" color={color} tt="none">
          {count} {what}
        </Badge>
      ))}
      {nonZeroCounts.length === 0 && <Text component="span">{plural(sync.unchanged, 'plan')} unchanged</Text>}
    </>
  );
}

function Outcome({ sync, sourceId }: { sync: PlanSync; sourceId: string }) {
  const file = (path: string, text?: string) => (
    <SourceFileLink gitSourceId={sourceId} path={path} commit={sync.commit}>
      {text}
    </SourceFileLink>
  );
  const plan = ({ planId, name }: { planId: string; name: string }) => (
    <AnchorLink to="/plans/$id" params={{ id: planId }} underline="always" className="rw-wrap-anywhere">
      {name}
    </AnchorLink>
  );
  return (
    <Stack gap="sm">
      {sync.reason !== null && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="Plans of this commit could not be synced">
          {sync.reason.text} Runward retries every minute.
        </Alert>
      )}
      <Part title="Invalid files" more={sync.invalidCount}>
        {sync.invalid.map(({ path, line, column, reason }, index) => (
          <li key={index}>
            {line === null ? <span className="rw-mono">{path}</span> : file(path, `${path}:${line}:${column ?? 1}`)}:{' '}
            {reason.text}
          </li>
        ))}
      </Part>
      <Part title="Kept although the file was deleted" more={sync.keptCount}>
        {sync.kept.map((each) => (
          <li key={each.planId}>
            {plan(each)}: {each.reason.text}
          </li>
        ))}
      </Part>
      <Part title="Created" more={sync.createdCount}>
        {sync.created.map((each) => (
          <li key={each.planId}>
            {plan(each)}, {file(each.path)}
          </li>
        ))}
      </Part>
      <Part title="Changed" more={sync.changedCount}>
        {sync.changed.map((each) => (
          <li key={each.planId}>
            {plan(each)}, {file(each.path)}
          </li>
        ))}
      </Part>
      <Part title="Removed" more={sync.removedCount}>
        {sync.removed.map(({ planId, name, path }) => (
          <li key={planId}>
            {name}, {path}
          </li>
        ))}
      </Part>
      <Text size="xs" c="dimmed">
        {[
          sync.unchanged > 0 ? `${plural(sync.unchanged, 'plan')} unchanged.` : '',
          sync.leftOut > 0 ? `${plural(sync.leftOut, 'file')} skipped because of limits.` : '',
          sync.hidden > 0 ? `${plural(sync.hidden, 'entry', 'entries')} that you cannot view.` : '',
        ].join(' ')}
      </Text>
    </Stack>
  );
}

function Part({ title, more, children }: { title: string; more: number; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <div>
      <Text fw={600} component="h3" fz="sm" m={0}>
        {title}
      </Text>
      <ul className="rw-list rw-wrap-anywhere" aria-label={title}>
        {children}
      </ul>
      {more > children.length && (
        <Text size="xs" c="dimmed">
          {more} in total.
        </Text>
      )}
    </div>
  );
}
