import type { DecideExecutionRequest, DecisionAction, HostStatus } from '../../../api/types';
import { hasFailed } from '../run/host-outcome';
import { cellAt, type Cells } from '../run/run-cells.reducer';

export interface StepHost {
  serverId: string;
  name: string;
  status: HostStatus;
  message: string | null;
}

export function hostsOfStep(
  stepKey: string,
  hosts: readonly { serverId: string; name: string }[],
  cells: Cells,
): StepHost[] {
  return hosts
    .flatMap(({ serverId, name }): StepHost[] => {
      const cell = cellAt(cells, serverId, stepKey);
      return cell ? [{ serverId, name, status: cell.status, message: cell.reason?.text ?? null }] : [];
    })
    .sort((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)));
}

export function eligibleHosts(action: DecisionAction, hosts: readonly StepHost[]): StepHost[] {
  if (action === 'retry_failed') return hosts.filter(hasFailed);
  // The action excludes failed hosts anyway, so only other hosts can be chosen.
  if (action === 'exclude_hosts') return hosts.filter((host) => !hasFailed(host));
  return action === 'retry' ? [...hosts] : [];
}

/**
 * Returns the default selection of hosts. If a result is unknown, the command may still be running: such a host is
 * retried only if a person selects it.
 */
export const preselectedHosts = (action: DecisionAction, hosts: readonly StepHost[]): string[] =>
  action === 'exclude_hosts'
    ? []
    : eligibleHosts(action, hosts)
        .filter(({ status }) => action === 'retry' || status !== 'UNKNOWN')
        .map(({ serverId }) => serverId);

/** Returns the request for a decision. It names hosts only if they differ from the action's default. */
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
