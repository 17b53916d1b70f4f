import { Group, Stack } from '@mantine/core';
import { EXECUTION_STATUSES } from '../src/api/lists';
import { CheckBadge, StatusBadge, StatusDot } from '../src/ui/status/StatusBadge';
import { type AnyStatus, SERVER_STATES, statusStyle } from '../src/ui/status/statuses';

const HOST_STATUSES: AnyStatus[] = [
  'CONNECTING',
  'UNREACHABLE',
  'HOST_KEY_UNKNOWN',
  'HOST_KEY_CHANGED',
  'SKIPPED',
  'UNKNOWN',
];
const ALL: AnyStatus[] = [...EXECUTION_STATUSES, ...HOST_STATUSES];

export const Statuses = () => (
  <Stack>
    <Group>
      {ALL.map((status) => (
        <StatusBadge key={status} status={status} />
      ))}
    </Group>
    <Group>
      {ALL.map((status) => (
        <StatusBadge key={status} status={status} plain />
      ))}
    </Group>
    <Group>
      {ALL.map((status) => (
        <StatusDot key={status} status={status} label={statusStyle(status).label} />
      ))}
    </Group>
    <Group>
      {SERVER_STATES.map((state) => (
        <CheckBadge key={state} state={state} />
      ))}
    </Group>
  </Stack>
);
