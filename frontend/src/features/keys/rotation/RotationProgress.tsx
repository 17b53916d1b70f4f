import { Chip, Group, Progress, Stack, Text } from '@mantine/core';
import type { Rotation, RotationHostStatus } from '../../../api/types';
import { hostCount, HOST_STATES, progressText, ROTATION_HOST_STATES } from './rotation-states';

interface Props {
  rotation: Rotation;
  /** `all`: no filter. */
  filter: RotationHostStatus | 'all';
  onShow: (state: RotationHostStatus | 'all') => void;
}

const COLOURS: Partial<Record<RotationHostStatus, string>> = {
  done: 'var(--rw-good)',
  switched: 'var(--rw-active)',
  installed: 'var(--rw-active)',
  failed: 'var(--rw-bad)',
  given_up: 'var(--rw-warn)',
};
const STATE_ORDER: RotationHostStatus[] = ['done', 'switched', 'installed', 'failed', 'given_up'];

/** Shows the number of hosts by state. Each state is a filter. */
export function RotationProgress({ rotation, filter, onShow }: Props) {
  const { counts } = rotation;
  const all = hostCount(counts);
  return (
    <Stack gap="sm">
      <Text role="status">{progressText(rotation)}</Text>
      <Progress.Root size="md" aria-hidden>
        {STATE_ORDER.filter((state) => counts[state] > 0).map((state) => (
          <Progress.Section key={state} value={(100 * counts[state]) / Math.max(1, all)} color={COLOURS[state]} />
        ))}
      </Progress.Root>
      <Chip.Group multiple={false} value={filter} onChange={(value) => onShow(value)}>
        <Group gap="xs" role="group" aria-label="Filter hosts">
          <Chip value="all" size="xs" variant="outline">
            All {all.toLocaleString('en')}
          </Chip>
          {ROTATION_HOST_STATES.filter((state) => counts[state] > 0 || state === filter).map((state) => (
            <Chip key={state} value={state} size="xs" variant="outline">
              {HOST_STATES[state].label} {counts[state].toLocaleString('en')}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Stack>
  );
}
