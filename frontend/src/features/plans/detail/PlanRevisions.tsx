import { Accordion, Badge, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Button } from '@mantine/core';
import { planRevisionsQuery } from '../../../api/queries/plans';
import type { PlanRevision } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { RevisionStep } from './RevisionStep';

const route = getRouteApi('/app/plans/$id');

export function PlanRevisions({ planId }: { planId: string }) {
  const { revision } = route.useSearch();
  const navigate = useNavigate({ from: '/plans/$id' });
  const revisions = useInfiniteQuery(planRevisionsQuery(planId));
  if (!revisions.data)
    return revisions.error ? (
      <ErrorPanel error={revisions.error} onRetry={() => void revisions.refetch()} />
    ) : (
      <RowsSkeleton />
    );
  const open = (value: string | null) =>
    void navigate({
      search: (before) => ({ ...before, revision: value === null ? undefined : Number(value) }),
      replace: true,
    });
  return (
    <Stack gap="sm">
      <Paper>
        <Accordion value={revision === undefined ? null : String(revision)} onChange={open} order={2}>
          {revisions.data.pages
            .flatMap((page) => page.items)
            .map((item) => (
              <Accordion.Item key={item.id} value={String(item.number)}>
                <Accordion.Control>
                  <Group gap="sm">
                    <Badge variant="light" tt="none">
                      Revision {item.number}
                    </Badge>
                    <Text>{plural(item.steps.length, 'step')}</Text>
                    <Text c="dimmed" component="span">
                      {item.createdByName}, <RelativeTime at={item.createdAt} />
                    </Text>
                  </Group>
                </Accordion.Control>
                <Accordion.Panel>
                  <RevisionContent revision={item} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
        </Accordion>
      </Paper>
      {revisions.hasNextPage && (
        <Button
          variant="default"
          loading={revisions.isFetchingNextPage}
          onClick={() => void revisions.fetchNextPage()}
          style={{ alignSelf: 'center' }}
        >
          Load more
        </Button>
      )}
    </Stack>
  );
}

function RevisionContent({ revision }: { revision: PlanRevision }) {
  return (
    <Stack gap="sm">
      <Text>Targets: {revision.targets ? <Code>{revision.targets}</Code> : 'all servers of the environment'}</Text>
      {revision.variables.length > 0 && (
        <Text>Variables: {revision.variables.map(({ name, type }) => `${name} (${type})`).join(', ')}</Text>
      )}
      {revision.steps.map((step) => (
        <RevisionStep key={step.key} step={step} />
      ))}
    </Stack>
  );
}
