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

/** Each step is judged by itself: a later record does not mark an earlier step as done. */
export function firstSteps({ keys, environments, servers, plans, runs }: ExistingRecords): FirstStep[] {
  const trusted = servers.some(({ hostKey, lastCheck }) => hostKey !== null && lastCheck?.state === 'reachable');
  return [
    {
      key: 'key',
      title: 'Make an SSH key',
      text: 'Runward signs in with it. Its public part goes onto your servers.',
      done: keys.length > 0,
    },
    {
      key: 'environment',
      title: 'Name an environment',
      text: 'Such as staging: the servers that belong together.',
      done: environments.length > 0,
    },
    {
      key: 'server',
      title: 'Register a server',
      text: 'Address, user and key. Nothing is installed on it.',
      done: servers.length > 0,
    },
    {
      key: 'check',
      title: 'Check it and accept its host key',
      text: 'So that every run knows that it talks to the right host.',
      done: trusted,
    },
    {
      key: 'plan',
      title: 'Write a plan',
      text: 'The commands, in order, and the servers that they run on.',
      done: plans.length > 0,
    },
    { key: 'run', title: 'Run it', text: 'And watch each host and each line as it happens.', done: runs.length > 0 },
  ];
}
