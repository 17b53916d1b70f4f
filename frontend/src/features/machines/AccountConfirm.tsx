import { useQuery } from '@tanstack/react-query';
import {
  serviceAccountQuery,
  useRemoveServiceAccount,
  useUpdateServiceAccount,
} from '../../api/queries/access/service-accounts';
import type { ServiceAccount } from '../../api/types';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog';
import { RunsCancelled } from '../../ui/runs/RunsCancelled';

export type AccountAction = 'disable' | 'enable' | 'remove';

const TEXTS: Record<AccountAction, { title: string; confirm: string; body: string; safe?: boolean }> = {
  disable: {
    title: 'Disable',
    confirm: 'Disable',
    body: 'Runward refuses its tokens from the next request on, trust rules give it none, and its runs stop before their next step. You can enable it again.',
  },
  enable: {
    title: 'Enable',
    confirm: 'Enable',
    body: 'Its tokens that have not ended work again, with its current role.',
    safe: true,
  },
  remove: {
    title: 'Remove',
    confirm: 'Remove service account',
    body: 'This deletes its tokens and grants permanently. Its runs stop before their next step. Runs and the audit trail keep its name. To block it for a time, disable it instead.',
  },
};

interface Props {
  account: ServiceAccount;
  action: AccountAction;
  onClose: () => void;
}

export function AccountConfirm({ account, action, onClose }: Props) {
  const update = useUpdateServiceAccount();
  const remove = useRemoveServiceAccount();
  const text = TEXTS[action];
  const counted = useQuery({ ...serviceAccountQuery(account.id), enabled: !text.safe });
  const mutation = action === 'remove' ? remove : update;
  const confirm = () =>
    action === 'remove'
      ? remove.mutate(account, { onSuccess: onClose })
      : update.mutate({ account, body: { disabled: action === 'disable' } }, { onSuccess: onClose });
  return (
    <ConfirmDialog
      opened
      title={`${text.title} ${account.name}?`}
      confirm={text.confirm}
      cancel={text.safe ? 'Close' : 'Keep'}
      color={text.safe ? undefined : 'red'}
      pending={mutation.isPending}
      error={mutation.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {text.body}
      {!text.safe && <RunsCancelled of={counted} />}
    </ConfirmDialog>
  );
}
