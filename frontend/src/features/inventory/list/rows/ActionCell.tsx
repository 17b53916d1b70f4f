import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconPlugConnected, IconStethoscope, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../../access/Can';
import type { Server } from '../../../../api/types';
import type { RowRequests } from './row-requests';
import classes from './server-table.module.css';

interface Props {
  server: Server;
  requests: RowRequests;
}

/** Actions of one server. The menu is created only when it opens, to keep scrolling fast. */
export function ActionCell({ server, requests }: Props) {
  const [opened, setOpened] = useState(false);
  const { refusal, checkingIds, onCheck } = requests;
  const refused = refusal === null ? {} : { 'data-disabled': true, 'aria-disabled': true, title: refusal };
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        visibleFrom="xs"
        aria-label={`Check ${server.name}`}
        loading={checkingIds.has(server.id)}
        leftSection={<IconPlugConnected size={14} aria-hidden />}
        {...refused}
        onClick={() => refusal === null && onCheck(server)}
      >
        Check
      </Button>
      <span className={classes.menu}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Actions for ${server.name}`}
          aria-haspopup="menu"
          aria-expanded={opened}
          onClick={() => setOpened(true)}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
        {opened && <RowMenu server={server} requests={requests} onClose={() => setOpened(false)} />}
      </span>
    </Group>
  );
}

function RowMenu({ server, requests, onClose }: Props & { onClose: () => void }) {
  const { onCheck, onEdit, onDelete, onDiagnose } = requests;
  return (
    <Menu opened onClose={onClose} position="bottom-end" returnFocus>
      <Menu.Target>
        <button type="button" className={classes.anchor} tabIndex={-1} aria-label={`Actions for ${server.name}`} />
      </Menu.Target>
      <Menu.Dropdown>
        <Can role="operator">
          <Menu.Item
            hiddenFrom="xs"
            leftSection={<IconPlugConnected size={15} aria-hidden />}
            onClick={() => onCheck(server)}
          >
            Check
          </Menu.Item>
        </Can>
        <Can role="operator">
          <Menu.Item leftSection={<IconStethoscope size={15} aria-hidden />} onClick={() => onDiagnose(server)}>
            Diagnose connection
          </Menu.Item>
        </Can>
        <Can role="operator">
          <Menu.Item leftSection={<IconPencil size={15} aria-hidden />} onClick={() => onEdit(server.id)}>
            Edit
          </Menu.Item>
        </Can>
        <Can role="operator">
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={15} aria-hidden />}
            onClick={() => onDelete(server)}
          >
            Delete
          </Menu.Item>
        </Can>
      </Menu.Dropdown>
    </Menu>
  );
}
