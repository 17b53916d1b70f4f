import { Menu } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconHistory,
  IconLink,
  IconTerminal2,
  IconUserCheck,
  IconUserOff,
} from '@tabler/icons-react';
import type { Member } from '../../api/types';
import { MenuItemLink } from '../../ui/page/links';
import { RowActions } from '../../ui/tables/RowActions';
import type { MemberAction } from './MemberConfirm';

interface Props {
  member: Member;
  onEdit: () => void;
  onAction: (action: MemberAction) => void;
}

export function MemberMenu({ member, onEdit, onAction }: Props) {
  const { id, name, disabled } = member;
  return (
    <RowActions
      role="admin"
      label={`Actions for ${name}`}
      editWord="Edit name and role"
      deleteWord="Remove"
      onEdit={onEdit}
      onDelete={() => onAction('remove')}
    >
      <MenuItemLink
        to="/settings/members"
        search={(before) => ({ ...before, sessions: id })}
        leftSection={<IconDeviceDesktop size={15} aria-hidden />}
      >
        Sessions
      </MenuItemLink>
      <MenuItemLink to="/settings/tokens" search={{ user: id }} leftSection={<IconTerminal2 size={15} aria-hidden />}>
        API tokens
      </MenuItemLink>
      <MenuItemLink to="/audit" search={{ actor: id }} leftSection={<IconHistory size={15} aria-hidden />}>
        Audit entries
      </MenuItemLink>
      <Menu.Divider />
      <Menu.Item leftSection={<IconLink size={15} aria-hidden />} onClick={() => onAction('link')}>
        Create set-password link
      </Menu.Item>
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
