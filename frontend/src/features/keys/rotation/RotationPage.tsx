import { Alert, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { rotationQuery, useRetryRotation } from '../../../api/queries/inventory/key-rotations';
import type { Rotation, RotationHost, RotationHostStatus } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { PageSkeleton } from '../../../ui/feedback/Skeletons';
import { SearchField } from '../../../ui/forms/SearchField';
import { PageHeader } from '../../../ui/page/PageHeader';
import { GiveUpDialog } from './GiveUpDialog';
import { hostCount, ROTATION_HOST_STATES } from './rotation-states';
import { RotationHeader } from './RotationHeader';
import { RotationError } from './RotationError';
import { RotationHosts } from './RotationHosts';
import { RotationKeys } from './RotationKeys';
import { RotationProgress } from './RotationProgress';
import { useLiveHosts } from './useLiveHosts';

const route = getRouteApi('/app/keys/rotations/$id');

export function RotationPage() {
  const { id } = route.useParams();
  const rotation = useQuery(rotationQuery(id));
  const failure = Boolean(rotation.error) && (
    <ErrorPanel error={rotation.error} onRetry={() => void rotation.refetch()} />
  );
  if (rotation.data)
    return (
      <>
        {failure}
        <RotationView key={id} rotation={rotation.data} updatedAt={rotation.dataUpdatedAt} />
      </>
    );
  if (!failure) return <PageSkeleton />;
  return (
    <>
      <PageHeader title="Key rotation" />
      {failure}
    </>
  );
}

function RotationView({ rotation, updatedAt }: { rotation: Rotation; updatedAt: number }) {
  const { id, open, counts } = rotation;
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/keys/rotations/$id' });
  const [hostToGiveUp, setHostToGiveUp] = useState<RotationHost | 'all' | null>(null);
  const retry = useRetryRotation(id);
  const state = ROTATION_HOST_STATES.find((each) => each === search.state);
  const q = search.q ?? '';
  const { list, onVisibleRows } = useLiveHosts(id, { states: state ? [state] : [], q }, open, updatedAt);
  const retryingServerId = retry.isPending ? (retry.variables?.[0] ?? null) : null;
  const show = (next: RotationHostStatus | 'all') =>
    void navigate({
      search: (before) => ({ ...before, state: next === 'all' ? undefined : next }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <RotationHeader
        rotation={rotation}
        retrying={retry.isPending && retryingServerId === null}
        onRetry={() => retry.mutate(undefined)}
        onGiveUp={() => setHostToGiveUp('all')}
      />
      <Stack gap="md">
        {Boolean(retry.error) && <RotationError error={retry.error} />}
        {!open && <Ended rotation={rotation} />}
        <Paper p="md">
          <Stack gap="md">
            <RotationKeys rotation={rotation} />
            <RotationProgress rotation={rotation} filter={state ?? 'all'} onShow={show} />
          </Stack>
        </Paper>
        <Group>
          <SearchField
            label="Search hosts"
            value={q}
            onChange={(value) =>
              void navigate({ search: (before) => ({ ...before, q: value || undefined }), replace: true })
            }
          />
        </Group>
        <RotationHosts
          key={state ?? 'all'}
          list={list}
          total={q === '' ? (state ? counts[state] : hostCount(counts)) : undefined}
          open={open}
          retryingServerId={retryingServerId}
          onVisibleRows={onVisibleRows}
          onRetry={({ serverId }) => retry.mutate([serverId])}
          onGiveUp={setHostToGiveUp}
        />
      </Stack>
      {hostToGiveUp !== null && (
        <GiveUpDialog
          id={id}
          host={hostToGiveUp === 'all' ? null : hostToGiveUp}
          failed={counts.failed}
          onClose={() => setHostToGiveUp(null)}
        />
      )}
    </>
  );
}

function Ended({ rotation: { keyName, counts } }: { rotation: Rotation }) {
  return (
    <Alert color={counts.given_up > 0 ? 'yellow' : 'green'} icon={<IconCircleCheck aria-hidden />} py="xs">
      <Text>
        The new key is now named {keyName}. The old key is named “{keyName} (until …)”
        {counts.given_up > 0 ? '. Servers that were given up may still use it.' : '. Delete it when no server uses it.'}
      </Text>
    </Alert>
  );
}
