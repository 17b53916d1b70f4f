import { Box, Stack, Table, Text, Title } from '@mantine/core';
import { AnchorLink } from '../../../ui/page/links';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import type { StepHost } from './host-choice';

const SHOWN = 100;

interface Props {
  failed: readonly StepHost[];
  total: number;
  stepKey: string;
}

/** Hosts that failed a step, with the reason. Each links to its output. */
export function FailedHosts({ failed, total, stepKey }: Props) {
  if (failed.length === 0) return null;
  const lost = failed.some(({ status }) => status === 'UNKNOWN');
  return (
    <Stack gap={6}>
      <Title order={2} size="h5">
        Failed on {failed.length} of {total}
      </Title>
      <Box className="rw-scroll" mah={260} tabIndex={0} role="group" aria-label="Failed hosts">
        <Table verticalSpacing={5} aria-label="Failed hosts">
          <Table.Tbody>
            {failed.slice(0, SHOWN).map(({ serverId, name, status, message }) => (
              <Table.Tr key={serverId}>
                <Table.Td miw={90} className="rw-wrap-word">
                  <AnchorLink
                    to="/executions/$id"
                    from="/executions/$id"
                    search={(before) => ({ ...before, step: stepKey, host: name, line: undefined, q: undefined })}
                    resetScroll={false}
                    fw={550}
                  >
                    {name}
                  </AnchorLink>
                </Table.Td>
                <Table.Td>
                  <StatusBadge status={status} />
                </Table.Td>
                <Table.Td className="rw-wrap-word">{message}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      {failed.length > SHOWN && <Text c="dimmed">And {failed.length - SHOWN} more. The grid below shows all.</Text>}
      {lost && (
        <Text size="xs">
          Where the result is unknown, the command may still be running. A retry includes these hosts only if you select
          them.
        </Text>
      )}
    </Stack>
  );
}
