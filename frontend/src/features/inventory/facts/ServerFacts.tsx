import { Paper, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { serverFactsQuery } from '../../../api/queries/inventory/servers';
import type { Server } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { factsRows } from './facts-rows';

export function ServerFacts({ server }: { server: Pick<Server, 'id'> }) {
  const { data, error, refetch } = useQuery(serverFactsQuery(server.id));
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <RowsSkeleton rows={4} />;
  if (!data.facts)
    return (
      <Paper p="md" maw={820}>
        <Text c="dimmed">No facts yet. The first successful check reads them.</Text>
      </Paper>
    );
  return (
    <Stack gap="xs" maw={820}>
      <Paper className="rw-clip">
        <Table variant="vertical" layout="fixed">
          <Table.Tbody>
            {factsRows(data.facts).map(({ label, value }) => (
              <Table.Tr key={label}>
                <Table.Th scope="row" w={140}>
                  {label}
                </Table.Th>
                <Table.Td className="rw-wrap-anywhere">{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      <Text size="xs" c="dimmed">
        Read from the host <RelativeTime at={data.factsAt} />.
      </Text>
    </Stack>
  );
}
