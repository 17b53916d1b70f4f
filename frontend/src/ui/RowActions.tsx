import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Can } from '../access/Can';

interface Props {
  label: string;
  editWord?: string;
  deleteWord?: string;
  onEdit: () => void;
  onDelete: () => void;
  children?: ReactNode;
}

/** What can be done to one row of a table. */
export function RowActions({ label, editWord = 'Edit', deleteWord = 'Delete', onEdit, onDelete, children }: Props) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        <Can role="operator">
          <Menu.Item leftSection={<IconPencil size={15} aria-hidden />} onClick={onEdit}>
            {editWord}
          </Menu.Item>
        </Can>
        <Can role="operator">
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={15} aria-hidden />}
            onClick={onDelete}
          >
            {deleteWord}
          </Menu.Item>
        </Can>
      </Menu.Dropdown>
    </Menu>
  );
}
