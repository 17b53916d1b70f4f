import { FormModal } from '../../../ui/forms/FormOverlay';
import { useQuery } from '@tanstack/react-query';
import { executionQuery } from '../../../api/queries/runs/executions';
import { planQuery } from '../../../api/queries/plans/plans';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { StartForm } from './StartForm';

interface Props {
  planId: string;
  /** Id of the run to repeat; null: a new start. */
  again: string | null;
  /** ID of the environment to choose at first; null: that of the plan. */
  into: string | null;
  /** Whether to start only if nothing has changed since the dry run `again`. */
  exact: boolean;
  onClose: () => void;
}

export function StartDialog({ planId, again, into, exact, onClose }: Props) {
  const plan = useQuery(planQuery(planId));
  const before = useQuery({ ...executionQuery(again ?? ''), enabled: again !== null });
  const error = plan.error ?? before.error;
  const ready = plan.data && (again === null || before.data);
  return (
    <FormModal
      opened
      onClose={onClose}
      title={plan.data ? `Run ${plan.data.name}` : 'Run a plan'}
      size="64rem"
      closeOnClickOutside={false}
    >
      {ready ? (
        <StartForm
          plan={plan.data}
          again={before.data ?? null}
          into={into}
          exact={exact && before.data !== undefined}
          onClose={onClose}
        />
      ) : error ? (
        <ErrorPanel error={error} onRetry={() => void plan.refetch()} />
      ) : (
        <RowsSkeleton rows={4} />
      )}
    </FormModal>
  );
}
