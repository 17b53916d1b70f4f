import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Can } from '../../access/Can';
import type { Role } from '../../api/types';

interface Props {
  label: string;
  editWord?: string;
  deleteWord?: string;
  onEdit: () => void;
  onDelete: () => void;
  role?: Role;
  /** Reason to disable both actions; null = enabled. */
  unless?: string | null;
  children?: ReactNode;
}

export function RowActions({
  label,
  editWord = 'Edit',
  deleteWord = 'Delete',
  onEdit,
  onDelete,
  role = 'operator',
  unless = null,
  children,
}: Props) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        <Can role={role} unless={unless}>
          <Menu.Item leftSection={<IconPencil size={15} aria-hidden />} onClick={onEdit}>
            {editWord}
          </Menu.Item>
        </Can>
        <Can role={role} unless={unless}>
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
