import { useState } from 'react';
import { useCreatePasswordLink, useRemoveMember, useUpdateMember } from '../../api/queries/access/members';
import type { Member } from '../../api/types';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog';
import { PasswordLink } from './PasswordLink';
import { FormModal } from '../../ui/forms/FormOverlay';

export type MemberAction = 'disable' | 'enable' | 'remove' | 'link';

const TEXTS: Record<MemberAction, { title: (name: string) => string; confirm: string; body: string; safe?: boolean }> =
  {
    disable: {
      title: (name) => `Disable ${name}?`,
      confirm: 'Disable',
      body: 'Runward refuses their sessions and API tokens immediately and closes open streams. Their records and runs stay. You can enable them again.',
    },
    enable: {
      title: (name) => `Enable ${name}?`,
      confirm: 'Enable',
      body: 'They can sign in again with their password and their current role.',
      safe: true,
    },
    remove: {
      title: (name) => `Remove ${name}?`,
      confirm: 'Remove member',
      body: 'Their sessions, API tokens and grants are deleted permanently. Runs and the audit trail still show their name. To block access temporarily, disable the member instead.',
    },
    link: {
      title: (name) => `Create a new link for ${name}?`,
      confirm: 'Create link',
      body: 'Using the link sets a new password and ends their sessions. Earlier links become invalid now.',
      safe: true,
    },
  };

interface Props {
  member: Member;
  action: MemberAction;
  onClose: () => void;
}

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
      <FormModal
        opened
        onClose={onClose}
        title={`Link for ${member.name}`}
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        <PasswordLink path={path} memberName={member.name} onDone={onClose} />
      </FormModal>
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
