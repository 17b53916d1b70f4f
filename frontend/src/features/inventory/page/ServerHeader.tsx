import { Badge, Button, Group, Menu, Text } from '@mantine/core';
import { IconDots, IconPencil, IconStethoscope, IconTrash } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { useHostObstacles } from '../../../access/useHostObstacles';
import type { Server } from '../../../api/types';
import { duration } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { HistoryLink } from '../../../ui/page/HistoryLink';
import { PageHeader } from '../../../ui/page/PageHeader';
import { CheckBadge } from '../../../ui/status/StatusBadge';
import { CheckButton } from '../checks/CheckButton';
import { LegacyBadge } from '../checks/LegacyBadge';
import { NotProtectedBadge } from '../host-key/NotProtectedBadge';
import { ActionButton } from '../../../ui/page/ActionButton';

interface Props {
  server: Server;
  unless: string | null;
  onOpen: (what: 'edit' | 'doctor' | 'delete') => void;
  onReview: () => void;
}

export function ServerHeader({ server, unless, onOpen, onReview }: Props) {
  const { name, username, hostname, port, state, stateSince, latencyMs, enabled, legacyAlgorithms } = server;
  const obstacle = useHostObstacles(server).deletion;
  return (
    <PageHeader
      title={name}
      favourite
      above={
        <AnchorLink to="/servers" size="xs">
          Servers
        </AnchorLink>
      }
      badge={
        <Group gap={6} data-testid="server-state">
          <CheckBadge state={state} />
          {!enabled && (
            <Badge variant="light" color="gray" tt="none">
              Disabled
            </Badge>
          )}
          {legacyAlgorithms && <LegacyBadge />}
          <NotProtectedBadge server={server} />
        </Group>
      }
      description={
        <Group gap="2px 12px">
          <Text span className="rw-mono rw-wrap-anywhere">
            {username}@{hostname}:{port}
          </Text>
          {stateSince !== null && (
            <span>
              since <RelativeTime at={stateSince} />
            </span>
          )}
          {latencyMs !== null && <span>{duration(latencyMs)} away</span>}
        </Group>
      }
      actions={
        <>
          <CheckButton server={server} unless={unless} onReview={onReview} />
          <ActionButton
            role="operator"
            environmentId={server.environmentId}
            unless={unless}
            icon={IconStethoscope}
            onClick={() => onOpen('doctor')}
          >
            Diagnose
          </ActionButton>
          <ActionButton
            role="operator"
            environmentId={server.environmentId}
            unless={unless}
            icon={IconPencil}
            onClick={() => onOpen('edit')}
          >
            Edit
          </ActionButton>
          <HistoryLink id={server.id} />
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" px={8} aria-label="More actions">
                <IconDots size={16} aria-hidden />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Can role="operator" environmentId={server.environmentId} unless={unless ?? obstacle}>
                <Menu.Item
                  c="var(--mantine-color-error)"
                  leftSection={<IconTrash size={15} aria-hidden />}
                  onClick={() => onOpen('delete')}
                >
                  Delete server
                </Menu.Item>
              </Can>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    />
  );
}
