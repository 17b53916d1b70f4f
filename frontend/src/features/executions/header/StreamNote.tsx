import { Group, Text } from '@mantine/core';
import { IconAntennaBars5, IconPlugConnectedX } from '@tabler/icons-react';
import type { StreamState } from '../../../api/event-stream';

export function StreamNote({ state }: { state: StreamState }) {
  if (state === 'closed') return null;
  const broken = state === 'reconnecting';
  const Glyph = broken ? IconPlugConnectedX : IconAntennaBars5;
  const label = {
    connecting: 'Connecting…',
    live: 'Live',
    reconnecting: 'Connection lost, reconnecting…',
    'catching-up': 'Connected again, catching up…',
  }[state];
  return (
    <Group gap={4} role="status" c={broken ? 'var(--rw-warn)' : 'dimmed'} data-testid="stream-state" data-state={state}>
      <Glyph size={14} aria-hidden />
      <Text span size="xs" c="inherit">
        {label}
      </Text>
    </Group>
  );
}
