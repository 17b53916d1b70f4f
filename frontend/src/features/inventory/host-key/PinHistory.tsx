import { Badge, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { hostKeysQuery } from '../../../api/queries/inventory/servers';
import type { Pin, Server } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { pinnedText, retiredText } from './pin-texts';

export function PinHistory({ server }: { server: Pick<Server, 'id'> }) {
  const { data, error, refetch } = useQuery(hostKeysQuery(server.id));
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <RowsSkeleton rows={2} />;
  if (data.items.length === 0) return <Text c="dimmed">No key has been pinned for this server.</Text>;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Pinned keys and history
      </Title>
      <Table layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="46%">Key</Table.Th>
            <Table.Th>Pinned</Table.Th>
            <Table.Th>Until</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.items.map((pin) => (
            <PinRow key={`${pin.fingerprint} ${pin.pinnedAt} ${pin.retiredAt}`} pin={pin} />
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function PinRow({ pin }: { pin: Pin }) {
  const { type, fingerprint, certAuthority, pinnedAt, retiredAt } = pin;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6}>
          <Text size="sm">{type}</Text>
          {certAuthority && <Badge variant="light">Certificate authority</Badge>}
        </Group>
        <Text ff="monospace" size="xs" className="rw-wrap-anywhere">
          {fingerprint}
        </Text>
      </Table.Td>
      <Table.Td>
        {pinnedAt && <RelativeTime at={pinnedAt} />} <Text size="sm">{pinnedText(pin)}</Text>
      </Table.Td>
      <Table.Td>
        {retiredAt ? (
          <>
            <RelativeTime at={retiredAt} /> <Text size="sm">{retiredText(pin)}</Text>
          </>
        ) : (
          'Current'
        )}
      </Table.Td>
    </Table.Tr>
  );
}
