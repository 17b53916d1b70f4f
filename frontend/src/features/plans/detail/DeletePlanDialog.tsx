import { useNavigate } from '@tanstack/react-router';
import { useDeletePlan } from '../../../api/queries/plans/plans';
import type { Plan } from '../../../api/types';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';

export function DeletePlanDialog({ plan, opened, onClose }: { plan: Plan; opened: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useDeletePlan();
  return (
    <ConfirmDialog
      opened={opened}
      title={`Delete ${plan.name}?`}
      confirm="Delete plan"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(plan, { onSuccess: () => void navigate({ to: '/plans', ignoreBlocker: true }) })}
      onClose={onClose}
    >
      Deletes the plan and its revisions. Its runs and their output are kept.
    </ConfirmDialog>
  );
}
