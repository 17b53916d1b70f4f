import { Modal } from '@mantine/core';
import { useState } from 'react';
import { useCreatePasswordLink, useRemoveMember, useUpdateMember } from '../../api/queries/members';
import type { Member } from '../../api/types';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { PasswordLink } from './PasswordLink';

export type Deed = 'disable' | 'enable' | 'remove' | 'link';

const WORDS: Record<Deed, { title: (name: string) => string; confirm: string; says: string; safe?: boolean }> = {
  disable: {
    title: (name) => `Disable ${name}?`,
    confirm: 'Disable',
    says: 'Sessions and API tokens are refused from the next request on, and open streams end. What they made and started stays. You can enable them again.',
  },
  enable: {
    title: (name) => `Enable ${name}?`,
    confirm: 'Enable',
    says: 'They can sign in again with their password, with the role they have.',
    safe: true,
  },
  remove: {
    title: (name) => `Remove ${name}?`,
    confirm: 'Remove member',
    says: 'Sessions, API tokens and grants are gone for good. Runs and the audit trail go on naming them. To shut somebody out for a time, disable them.',
  },
  link: {
    title: (name) => `New link for ${name}?`,
    confirm: 'Make link',
    says: 'The link sets a new password and ends their sessions when it is used. A link that was made before is void from now on.',
    safe: true,
  },
};

interface Props {
  member: Member;
  deed: Deed;
  onClose: () => void;
}

/** Asks before a member is disabled, enabled, removed or gets a new link, and does it. */
export function MemberConfirm({ member, deed, onClose }: Props) {
  const update = useUpdateMember();
  const remove = useRemoveMember();
  const link = useCreatePasswordLink();
  const [path, setPath] = useState<string | null>(null);
  const words = WORDS[deed];
  const asked = { disable: update, enable: update, remove, link }[deed];
  const confirm = () => {
    if (deed === 'remove') remove.mutate(member, { onSuccess: onClose });
    else if (deed === 'link') link.mutate(member.id, { onSuccess: ({ setPasswordPath }) => setPath(setPasswordPath) });
    else update.mutate({ member, body: { disabled: deed === 'disable' } }, { onSuccess: onClose });
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
      title={words.title(member.name)}
      confirm={words.confirm}
      cancel={words.safe ? 'Close' : 'Keep'}
      color={words.safe ? undefined : 'red'}
      pending={asked.isPending}
      error={asked.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {words.says}
    </ConfirmDialog>
  );
}
