import { Modal } from '@mantine/core';
import { useState } from 'react';
import { useCreatePasswordLink, useRemoveMember, useUpdateMember } from '../../api/queries/access/members';
import type { Member } from '../../api/types';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { PasswordLink } from './PasswordLink';

export type MemberAction = 'disable' | 'enable' | 'remove' | 'link';

const TEXTS: Record<MemberAction, { title: (name: string) => string; confirm: string; body: string; safe?: boolean }> =
  {
    disable: {
      title: (name) => `Disable ${name}?`,
      confirm: 'Disable',
      body: 'Sessions and API tokens are refused from the next request on, and open streams end. What they made and started stays. You can enable them again.',
    },
    enable: {
      title: (name) => `Enable ${name}?`,
      confirm: 'Enable',
      body: 'They can sign in again with their password, with the role they have.',
      safe: true,
    },
    remove: {
      title: (name) => `Remove ${name}?`,
      confirm: 'Remove member',
      body: 'Sessions, API tokens and grants are gone for good. Runs and the audit trail go on naming them. To shut somebody out for a time, disable them.',
    },
    link: {
      title: (name) => `New link for ${name}?`,
      confirm: 'Make link',
      body: 'The link sets a new password and ends their sessions when it is used. A link that was made before is void from now on.',
      safe: true,
    },
  };

interface Props {
  member: Member;
  action: MemberAction;
  onClose: () => void;
}

/** Confirms and performs an action on a member. */
export function MemberConfirm({ member, action, onClose }: Props) {
  const update = useUpdateMember();
  const remove = useRemoveMember();
  const link = useCreatePasswordLink();
  const [path, setPath] = useState<string | null>(null);
  const text = TEXTS[action];
  const mutation = { disable: update, enable: update, remove, link }[action];
  const confirm = () => {
    if (action === 'remove') remove.mutate(member, { onSuccess: onClose });
    else if (action === 'link')
      link.mutate(member.id, { onSuccess: ({ setPasswordPath }) => setPath(setPasswordPath) });
    else update.mutate({ member, body: { disabled: action === 'disable' } }, { onSuccess: onClose });
  };
  if (path !== null) {
    return (
      <Modal
        opened
        onClose={onClose}
        title={`Link for ${member.name}`}
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        <PasswordLink path={path} memberName={member.name} onDone={onClose} />
      </Modal>
    );
  }
  return (
    <ConfirmDialog
      opened
      title={text.title(member.name)}
      confirm={text.confirm}
      cancel={text.safe ? 'Close' : 'Keep'}
      color={text.safe ? undefined : 'red'}
      pending={mutation.isPending}
      error={mutation.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {text.body}
    </ConfirmDialog>
  );
}
