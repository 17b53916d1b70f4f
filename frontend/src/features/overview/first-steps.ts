import type { Environment, ExecutionSummary, PlanSummary, Server, SshKey } from '../../api/types';

export interface ExistingRecords {
  keys: readonly SshKey[];
  environments: readonly Environment[];
  servers: readonly Server[];
  plans: readonly PlanSummary[];
  runs: readonly ExecutionSummary[];
}

export interface FirstStep {
  key: 'key' | 'environment' | 'server' | 'check' | 'plan' | 'run';
  title: string;
  text: string;
  done: boolean;
}

/** Each step has its own condition: a later record does not mark an earlier step as done. */
export function firstSteps({ keys, environments, servers, plans, runs }: ExistingRecords): FirstStep[] {
  const trusted = servers.some(({ hostKey, lastCheck }) => hostKey !== null && lastCheck?.state === 'reachable');
  return [
    {
      key: 'key',
      title: 'Create an SSH key',
      text: 'Runward signs in to hosts with it. Install the public key on your servers.',
      done: keys.length > 0,
    },
    {
      key: 'environment',
      title: 'Create an environment',
      text: 'A named set of servers, such as staging.',
      done: environments.length > 0,
    },
    {
      key: 'server',
      title: 'Register a server',
      text: 'Enter address, user and key. Runward installs nothing on the host.',
      done: servers.length > 0,
    },
    {
      key: 'check',
      title: 'Check the server and accept its host key',
      text: 'Runs then connect only to a host with this key.',
      done: trusted,
    },
    {
      key: 'plan',
      title: 'Create a plan',
      text: 'Ordered steps and the servers they run on.',
      done: plans.length > 0,
    },
    {
      key: 'run',
      title: 'Run the plan successfully',
      text: 'Follow each host and its output live.',
      done: runs.some(({ status }) => status === 'SUCCEEDED'),
    },
  ];
}
