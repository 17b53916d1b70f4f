import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { statusStyle } from '../../../ui/status/statuses';
import type { StepHost } from './host-choice';

const SHOWN = 200;

interface Props {
  label: string;
  hosts: readonly StepHost[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

export function HostPicker({ label, hosts, chosen, onChange }: Props) {
  const visible = hosts.slice(0, SHOWN);
  return (
    <Checkbox.Group label={label} value={[...chosen]} onChange={onChange}>
      <Group gap="xs" my={4}>
        <Button variant="subtle" px={4} onClick={() => onChange(hosts.map(({ serverId }) => serverId))}>
          All
        </Button>
        <Button variant="subtle" px={4} onClick={() => onChange([])}>
          None
        </Button>
        <Text size="xs" c="dimmed" aria-live="polite">
          {chosen.length} of {hosts.length} selected
        </Text>
      </Group>
      <Stack gap={8} className="rw-scroll" mah={220}>
        {visible.map(({ serverId, name, status, message }) => (
          <Checkbox
            key={serverId}
            value={serverId}
            label={`${name} · ${statusStyle(status).label}`}
            description={status === 'UNKNOWN' ? 'The command may still be running.' : (message ?? undefined)}
          />
        ))}
      </Stack>
      {hosts.length > SHOWN && (
        <Text size="xs" c="dimmed" mt={4}>
          And {hosts.length - SHOWN} more, included in All and None.
        </Text>
      )}
    </Checkbox.Group>
  );
}
