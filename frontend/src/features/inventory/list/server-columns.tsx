import { Badge, Box, Group, Stack, Text } from '@mantine/core';
import type { Server } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';
import type { Column } from '../../../ui/tables/DataTable';
import { RowActions } from '../../../ui/tables/RowActions';
import { CheckButton } from '../checks/CheckButton';
import { CheckCell } from '../checks/CheckCell';
import { HostKeyCell } from '../host-key/HostKeyCell';
import { Tags } from '../checks/Tags';
import { hostKeyState } from '../host-key/host-key-state';

interface Actions {
  environmentName: (id: string) => string;
  onReview: (id: string) => void;
  onEdit: (id: string) => void;
  onDelete: (server: Server) => void;
}

export const serverColumns = ({ environmentName, onReview, onEdit, onDelete }: Actions): Column<Server>[] => [
  {
    key: 'name',
    title: 'Name',
    render: (server) => (
      <Stack gap={0}>
        <Group gap={6}>
          <AnchorLink to="/servers/$id" params={{ id: server.id }} fw={550}>
            {server.name}
          </AnchorLink>
          {!server.enabled && (
            <Badge variant="light" color="gray" tt="none">
              Disabled
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" className="rw-mono">
          {server.username}@{server.hostname}
          {server.port !== 22 && `:${server.port}`}
        </Text>
        {server.externalSource !== null && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {server.externalSource}: {server.externalId}
          </Text>
        )}
        <Box hiddenFrom="xs" pt={4}>
          <CheckCell server={server} />
          {hostKeyState(server) !== 'accepted' && <HostKeyCell server={server} onReview={() => onReview(server.id)} />}
        </Box>
      </Stack>
    ),
  },
  {
    key: 'environment',
    title: 'Environment',
    from: 'sm',
    width: 140,
    render: ({ environmentId }) => environmentName(environmentId),
  },
  { key: 'tags', title: 'Tags', from: 'md', render: ({ tags }) => <Tags tags={tags} /> },
  {
    key: 'host-key',
    title: 'Host key',
    from: 'xs',
    width: 150,
    render: (server) => <HostKeyCell server={server} onReview={() => onReview(server.id)} />,
  },
  { key: 'check', title: 'Last check', from: 'xs', width: 190, render: (server) => <CheckCell server={server} /> },
  {
    key: 'actions',
    title: '',
    width: 150,
    align: 'right',
    render: (server) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <CheckButton server={server} onReview={onReview} />
        <RowActions
          label={`Actions for ${server.name}`}
          onEdit={() => onEdit(server.id)}
          onDelete={() => onDelete(server)}
        />
      </Group>
    ),
  },
];
