import { useQuery } from '@tanstack/react-query';
import { trustRuleQuery, useDeleteTrustRule, useUpdateTrustRule } from '../../api/queries/access/trust-rules';
import type { TrustRule } from '../../api/types';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog';
import { RunsCancelled } from '../../ui/runs/RunsCancelled';

/** Change of a rule that asks for a confirmation. */
export interface TrustRuleChange {
  rule: TrustRule;
  what: 'delete' | 'disable' | 'enable';
}

const TEXTS: Record<TrustRuleChange['what'], { verb: string; confirm: string; body: string }> = {
  delete: {
    verb: 'Delete',
    confirm: 'Delete trust rule',
    body: 'Its tokens end at once, and jobs get no new ones. Runs that have begun continue.',
  },
  disable: {
    verb: 'Disable',
    confirm: 'Disable',
    body: 'Its tokens end at once, and jobs get no new ones until you enable it again. Runs that have begun continue.',
  },
  enable: { verb: 'Enable', confirm: 'Enable', body: 'Jobs that match it get tokens again.' },
};

export function TrustRuleConfirm({ rule, what, onClose }: TrustRuleChange & { onClose: () => void }) {
  const update = useUpdateTrustRule();
  const remove = useDeleteTrustRule();
  const { verb, confirm, body } = TEXTS[what];
  const counted = useQuery({ ...trustRuleQuery(rule.id), enabled: what !== 'enable' });
  const mutation = what === 'delete' ? remove : update;
  return (
    <ConfirmDialog
      opened
      title={`${verb} ${rule.name}?`}
      confirm={confirm}
      cancel={what === 'enable' ? 'Close' : 'Keep'}
      color={what === 'enable' ? undefined : 'red'}
      pending={mutation.isPending}
      error={mutation.error}
      onConfirm={() =>
        what === 'delete'
          ? remove.mutate(rule, { onSuccess: onClose })
          : update.mutate({ rule, body: { enabled: what === 'enable' } }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      {body}
      {what !== 'enable' && <RunsCancelled of={counted} />}
    </ConfirmDialog>
  );
}
