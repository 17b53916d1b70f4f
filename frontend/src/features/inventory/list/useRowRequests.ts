import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { useAccess } from '../../../access/useAccess';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import type { RowRequests } from './rows/row-requests';
import { useRowChecks } from './rows/useRowChecks';
import type { OpenDialog } from './ServerDialogs';

/** What rows of the list need and request. @param open opens a dialog about one server */
export function useRowRequests(open: (dialog: OpenDialog) => void): RowRequests {
  const navigate = useNavigate({ from: '/servers' });
  const environments = useQuery(environmentChoicesQuery);
  const refusal = useAccess().missing('operator');
  const review = useCallback((id: string) => open({ what: 'review', id }), [open]);
  const { checkingIds, onCheck } = useRowChecks(review);
  return useMemo(
    (): RowRequests => ({
      environmentName: (id) => environments.data?.items.find((one) => one.id === id)?.name ?? '…',
      onReview: review,
      onEdit: (id) => void navigate({ search: (before) => ({ ...before, edit: id }) }),
      onDelete: (server) => open({ what: 'delete', server }),
      onDiagnose: (server) => open({ what: 'doctor', server }),
      onCheck: (server) => void onCheck(server),
      checkingIds,
      refusal,
    }),
    [environments.data, navigate, open, refusal, review, onCheck, checkingIds],
  );
}
