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
import type { Deed } from './MemberConfirm';

interface Props {
  member: Member;
  onEdit: () => void;
  onDeed: (deed: Deed) => void;
}

/** What an admin can do about a member. */
export function MemberMenu({ member, onEdit, onDeed }: Props) {
  const { id, name, disabled } = member;
  return (
    <RowActions
      role="admin"
      label={`Actions for ${name}`}
      editWord="Edit name and role"
      deleteWord="Remove"
      onEdit={onEdit}
      onDelete={() => onDeed('remove')}
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
        What they did
      </MenuItemLink>
      <Menu.Divider />
      <Menu.Item leftSection={<IconLink size={15} aria-hidden />} onClick={() => onDeed('link')}>
        New set-password link
      </Menu.Item>
      {disabled ? (
        <Menu.Item leftSection={<IconUserCheck size={15} aria-hidden />} onClick={() => onDeed('enable')}>
          Enable
        </Menu.Item>
      ) : (
        <Menu.Item leftSection={<IconUserOff size={15} aria-hidden />} onClick={() => onDeed('disable')}>
          Disable
        </Menu.Item>
      )}
    </RowActions>
  );
}
