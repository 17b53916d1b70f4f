import { Menu } from '@mantine/core';
import { IconHistory, IconTerminal2, IconUserCheck, IconUserOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { MenuItemLink } from '../page/links';
import { RowActions } from '../tables/RowActions';

interface Props {
  account: { id: string; name: string; disabled: boolean };
  editWord: string;
  onEdit: () => void;
  onAction: (action: 'enable' | 'disable' | 'remove') => void;
  /** Links before those of all accounts. */
  links?: ReactNode;
  /** Actions before those of all accounts. */
  actions?: ReactNode;
}

/** Actions for a member or service account. */
export function AccountMenu({ account: { id, name, disabled }, editWord, onEdit, onAction, links, actions }: Props) {
  return (
    <RowActions
      role="admin"
      label={`Actions for ${name}`}
      editWord={editWord}
      deleteWord="Remove"
      onEdit={onEdit}
      onDelete={() => onAction('remove')}
    >
      {links}
      <MenuItemLink to="/settings/tokens" search={{ user: id }} leftSection={<IconTerminal2 size={15} aria-hidden />}>
        API tokens
      </MenuItemLink>
      <MenuItemLink to="/audit" search={{ actor: id }} leftSection={<IconHistory size={15} aria-hidden />}>
        Actions in the audit trail
      </MenuItemLink>
      <MenuItemLink to="/audit" search={{ resource: id }} leftSection={<IconHistory size={15} aria-hidden />}>
        History
      </MenuItemLink>
      <Menu.Divider />
      {actions}
      {disabled ? (
        <Menu.Item leftSection={<IconUserCheck size={15} aria-hidden />} onClick={() => onAction('enable')}>
          Enable
        </Menu.Item>
      ) : (
        <Menu.Item leftSection={<IconUserOff size={15} aria-hidden />} onClick={() => onAction('disable')}>
          Disable
        </Menu.Item>
      )}
    </RowActions>
  );
}
