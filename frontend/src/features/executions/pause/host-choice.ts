import type { DecideExecutionRequest, DecisionAction, HostStatus } from '../../../api/types';
import { hasFailed } from '../run/host-outcome';
import { type Cells, cellKey } from '../run/run-cells.reducer';

/** A host of the step that the run waits in, with what became of it there. */
export interface StepHost {
  serverId: string;
  name: string;
  status: HostStatus;
  message: string | null;
}

/** The hosts that have a result in a step, failed ones first. */
export function hostsOfStep(
  stepKey: string,
  hosts: readonly { serverId: string; name: string }[],
  cells: Cells,
): StepHost[] {
  return hosts
    .flatMap(({ serverId, name }): StepHost[] => {
      const cell = cells.get(cellKey(serverId, stepKey));
      return cell ? [{ serverId, name, status: cell.status, message: cell.message }] : [];
    })
    .sort((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)));
}

/** Hosts that an action can be narrowed or widened to. */
export function eligible(action: DecisionAction, hosts: readonly StepHost[]): StepHost[] {
  if (action === 'retry_failed') return hosts.filter(hasFailed);
  // Those that failed are left out anyway.
  if (action === 'exclude_hosts') return hosts.filter((host) => !hasFailed(host));
  return action === 'retry' ? [...hosts] : [];
}

/**
 * What is chosen before anybody chooses. Where a result is unknown the command may still run: it is run again there
 * only when a person says so.
 */
export const preselected = (action: DecisionAction, hosts: readonly StepHost[]): string[] =>
  action === 'exclude_hosts'
    ? []
    : eligible(action, hosts)
        .filter(({ status }) => action === 'retry' || status !== 'UNKNOWN')
        .map(({ serverId }) => serverId);

/** The request for a choice; hosts are named only where they are other than the action's usual ones. */
export function decisionOf(
  stepKey: string,
  action: DecisionAction,
  chosen: readonly string[],
  hosts: readonly StepHost[],
  comment: string,
): DecideExecutionRequest {
  const usual = preselected(action, hosts);
  const same = chosen.length === usual.length && usual.every((id) => chosen.includes(id));
  return {
    stepKey,
    action,
    ...(same ? {} : { serverIds: [...chosen] }),
    ...(comment.trim() ? { comment: comment.trim() } : {}),
  };
}
