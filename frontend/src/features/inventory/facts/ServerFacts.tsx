import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { serverFactsQuery } from '../../../api/queries/inventory/servers';
import type { Server } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { factsRows } from './facts-rows';

/** What the host of a server told about itself, and how long ago. */
export function ServerFacts({ server }: { server: Pick<Server, 'id'> }) {
  const { data, error, refetch } = useQuery(serverFactsQuery(server.id));
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <RowsSkeleton rows={4} />;
  if (!data.facts)
    return <Text c="dimmed">Nothing is known yet: facts are read by the first check that signs in to the host.</Text>;
  return (
    <Stack gap="xs">
      <Table variant="vertical" layout="fixed">
        <Table.Tbody>
          {factsRows(data.facts).map(({ label, value }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" w={140}>
                {label}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        As the host told it <RelativeTime at={data.factsAt} />.
      </Text>
    </Stack>
  );
}
