import { Button, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import type { RotationHost } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink, ButtonLink } from '../../../ui/page/links';
import { Badge } from '../../../ui/status/Badge';
import type { ListState } from '../../../ui/tables/DataTable';
import { VirtualTable } from '../../../ui/tables/VirtualTable';
import { canGiveUp, HOST_STATES, STATE_MEANINGS } from './rotation-states';
import classes from './rotation.module.css';

interface Props {
  list: ListState<RotationHost>;
  total: number | undefined;
  open: boolean;
  retryingServerId: string | null;
  onVisibleRows: (rows: readonly RotationHost[]) => void;
  onRetry: (host: RotationHost) => void;
  onGiveUp: (host: RotationHost) => void;
}

const COLUMNS = ['Server', 'State', 'Details', 'Updated', 'Actions'].map((title) => ({ key: title, title }));

export function RotationHosts({ list, total, onVisibleRows, ...actions }: Props) {
  return (
    <VirtualTable
      label="Hosts"
      region="Hosts of the rotation"
      list={list}
      total={total}
      columns={COLUMNS}
      rowClass={classes.row}
      rowKey={({ serverId }) => serverId}
      renderRow={(host) => <HostCells host={host} {...actions} />}
      onVisibleRows={onVisibleRows}
      empty={
        <Text p="md" c="dimmed">
          No hosts in this state.
        </Text>
      }
    />
  );
}

type CellProps = Pick<Props, 'open' | 'retryingServerId' | 'onRetry' | 'onGiveUp'> & { host: RotationHost };

function HostCells({ host, open, retryingServerId, onRetry, onGiveUp }: CellProps) {
  const { serverId, name, status, reason, updatedAt } = host;
  const { tone, icon, label } = HOST_STATES[status];
  return (
    <>
      <div role="cell" className={classes.name}>
        {status === 'left' ? (
          name
        ) : (
          <AnchorLink to="/servers/$id" params={{ id: serverId }} preload={false} fw={550} c="inherit">
            {name}
          </AnchorLink>
        )}
      </div>
      <div role="cell">
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      </div>
      <div role="cell" className={classes.message}>
        {reason?.text ?? STATE_MEANINGS[status]}
      </div>
      <div role="cell" className={classes.when}>
        <RelativeTime at={updatedAt} />
      </div>
      <div role="cell">
        {open && (
          <Group gap={4} justify="flex-end">
            {status === 'failed' && (
              <>
                <Can role="operator">
                  <Button
                    variant="default"
                    size="compact-sm"
                    fz={13}
                    aria-label={`Retry: ${name}`}
                    loading={retryingServerId === serverId}
                    leftSection={<IconRefresh size={14} aria-hidden />}
                    onClick={() => onRetry(host)}
                  >
                    Retry
                  </Button>
                </Can>
                <Can role="operator">
                  <ButtonLink
                    to="/servers/$id"
                    params={{ id: serverId }}
                    search={{ open: 'doctor' }}
                    preload={false}
                    variant="default"
                    size="compact-sm"
                    fz={13}
                    aria-label={`Diagnose ${name}`}
                  >
                    Diagnose
                  </ButtonLink>
                </Can>
              </>
            )}
            {canGiveUp(host) && (
              <Can role="operator">
                <Button
                  variant="subtle"
                  color="gray"
                  size="compact-sm"
                  fz={13}
                  aria-label={`Give up ${name}`}
                  onClick={() => onGiveUp(host)}
                >
                  Give up
                </Button>
              </Can>
            )}
          </Group>
        )}
      </div>
    </>
  );
}
