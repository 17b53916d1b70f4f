import { useCallback, useState } from 'react';
import { useServerCheck } from '../../../../api/queries/inventory/server-checks';
import type { Server } from '../../../../api/types';
import { notifyCheckResult, notifyFailedCheck } from '../../checks/check-result';

/**
 * Checks of single rows, with their pending state.
 * @param onReview called with the id of a server whose host key needs review
 */
export function useRowChecks(onReview: (id: string) => void) {
  const check = useServerCheck();
  const [checkingIds, setCheckingIds] = useState<ReadonlySet<string>>(new Set());
  const onCheck = useCallback(
    async ({ id, name }: Server) => {
      setCheckingIds((before) => new Set(before).add(id));
      try {
        if (notifyCheckResult(await check(id))) onReview(id);
      } catch (error) {
        notifyFailedCheck(name, error);
      } finally {
        setCheckingIds((before) => new Set([...before].filter((each) => each !== id)));
      }
    },
    [check, onReview],
  );
  return { checkingIds, onCheck };
}
