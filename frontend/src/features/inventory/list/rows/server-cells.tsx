import { Badge, Box, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Server } from '../../../../api/types';
import { AnchorLink } from '../../../../ui/page/links';
import { ActionCell } from './ActionCell';
import { CheckCell } from '../../checks/CheckCell';
import { Tags } from '../../checks/Tags';
import { HostKeyCell } from '../../host-key/HostKeyCell';
import { LegacyBadge } from '../../checks/LegacyBadge';
import { NotProtectedBadge } from '../../host-key/NotProtectedBadge';
import type { RowRequests } from './row-requests';
import { hostKeyState } from '../../host-key/host-key-state';

export interface ServerColumn {
  key: 'name' | 'environment' | 'tags' | 'host-key' | 'check' | 'actions';
  title: string;
  render: (server: Server, requests: RowRequests) => ReactNode;
}

/** Columns; `server-table.module.css` defines their widths and visibility. */
export const SERVER_COLUMNS: ServerColumn[] = [
  { key: 'name', title: 'Name', render: (server, requests) => <NameCell server={server} requests={requests} /> },
  {
    key: 'environment',
    title: 'Environment',
    render: ({ environmentId }, { environmentName }) => environmentName(environmentId),
  },
  { key: 'tags', title: 'Tags', render: ({ tags }) => <Tags tags={tags} /> },
  {
    key: 'host-key',
    title: 'Host key',
    render: (server, { onReview }) => <HostKeyCell server={server} onReview={() => onReview(server.id)} />,
  },
  { key: 'check', title: 'Last check', render: (server) => <CheckCell server={server} /> },
  {
    key: 'actions',
    title: 'Actions',
    render: (server, requests) => <ActionCell server={server} requests={requests} />,
  },
];

function NameCell({ server, requests }: { server: Server; requests: RowRequests }) {
  return (
    <Stack gap={0} miw={0}>
      <Group gap={6}>
        <AnchorLink
          to="/servers/$id"
          params={{ id: server.id }}
          preload={false}
          fw={550}
          c="inherit"
          data-control="name"
          className="rw-wrap-anywhere"
        >
          {server.name}
        </AnchorLink>
        {!server.enabled && (
          <Badge variant="light" color="gray" tt="none">
            Disabled
          </Badge>
        )}
        {server.legacyAlgorithms && <LegacyBadge />}
        <NotProtectedBadge server={server} />
      </Group>
      <Text size="xs" c="dimmed" className="rw-mono rw-wrap-anywhere">
        {server.username}@{server.hostname}
        {server.port !== 22 && `:${server.port}`}
      </Text>
      {server.externalSource !== null && (
        <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
          {server.externalSource}: {server.externalId}
        </Text>
      )}
      <Box hiddenFrom="xs" pt={4}>
        <CheckCell server={server} />
        {hostKeyState(server) !== 'accepted' && (
          <HostKeyCell server={server} onReview={() => requests.onReview(server.id)} />
        )}
      </Box>
    </Stack>
  );
}
