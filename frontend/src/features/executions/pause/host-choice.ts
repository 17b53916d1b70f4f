import type { DecideExecutionRequest, DecisionAction, HostStatus } from '../../../api/types';
import { hasFailed } from '../run/host-outcome';
import { type Cells, cellKey } from '../run/run-cells.reducer';

/** A host of the paused step, with its result. */
export interface StepHost {
  serverId: string;
  name: string;
  status: HostStatus;
  message: string | null;
}

/** Hosts with a result in a step, failed ones first. */
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

/** Hosts that can be chosen for an action. */
export function eligibleHosts(action: DecisionAction, hosts: readonly StepHost[]): StepHost[] {
  if (action === 'retry_failed') return hosts.filter(hasFailed);
  // Failed hosts are excluded anyway.
  if (action === 'exclude_hosts') return hosts.filter((host) => !hasFailed(host));
  return action === 'retry' ? [...hosts] : [];
}

/**
 * The default selection of hosts. Where a result is unknown the command may still be running, so such hosts are retried
 * only when a person selects them.
 */
export const preselectedHosts = (action: DecisionAction, hosts: readonly StepHost[]): string[] =>
  action === 'exclude_hosts'
    ? []
    : eligibleHosts(action, hosts)
        .filter(({ status }) => action === 'retry' || status !== 'UNKNOWN')
        .map(({ serverId }) => serverId);

/** The request for a decision; it names hosts only if they differ from the action's default. */
export function decisionOf(
  stepKey: string,
  action: DecisionAction,
  chosen: readonly string[],
  hosts: readonly StepHost[],
  comment: string,
): DecideExecutionRequest {
  const usual = preselectedHosts(action, hosts);
  const same = chosen.length === usual.length && usual.every((id) => chosen.includes(id));
  return {
    stepKey,
    action,
    ...(same ? {} : { serverIds: [...chosen] }),
    ...(comment.trim() ? { comment: comment.trim() } : {}),
  };
}
