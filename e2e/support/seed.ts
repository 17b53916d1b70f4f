import { apiOf, type Call } from './api.js';
import type { Fleet } from './fleet.js';
import { createSshKey, registerServers } from './fleet-in-runward.js';
import type { Runward } from './runward.js';

export interface SeededRecords {
  environmentId: string;
  planId: string;
  /** One run succeeded; in the other a host failed. */
  succeededRunId: string;
  failedRunId: string;
  /** Runs that wait: for an approval and for a decision. */
  pausedRunId: string;
  failingRunId: string;
  dryRunId: string;
  unknownRunId: string;
  /** Frozen collection. It contains another collection, which contains a plan. */
  collectionId: string;
  /** Rule that has reported some of the runs to an unreachable receiver. */
  notificationRuleId: string;
}

/**
 * Fills a Runward over its public API: an environment with servers, a plan, two runs, and in other environments runs
 * that wait for a person.
 */
export async function seed(runward: Runward, fleet: Fleet): Promise<SeededRecords> {
  const call = await apiOf(runward);
  const environment = await call('POST', '/api/environments', {
    name: 'staging',
    description: 'Before production',
  });
  const sshKeyId = await createSshKey(call, fleet);
  const [guarded = '', lonely = '', ...addresses] = fleet.addresses.toReversed();
  await registerServers(call, fleet, { sshKeyId, environmentId: environment.id, addresses });
  await call('POST', '/api/tokens', { name: 'pipeline' });
  await call('POST', '/api/members', {
    email: 'ana@e2e.test',
    name: 'Ana',
    role: 'operator',
    password: 'a password for the story',
  });
  const rule = await call('POST', '/api/notification-rules', {
    name: 'To the on-call channel',
    channel: { type: 'slack', url: 'http://127.0.0.1:1/services/none' },
    events: ['approval.requested', 'decision.requested', 'execution.failed', 'execution.partially_succeeded'],
  });
  await call('PUT', `/api/environments/${environment.id}/variables/REGION`, { value: 'eu' });
  await call('PUT', `/api/environments/${environment.id}/variables/DB_PASSWORD`, {
    value: 'not for any eye',
    secret: true,
  });
  const plan = await call('POST', '/api/plans', {
    name: 'Restart web',
    description: 'Restarts the web servers one after another',
    environmentId: environment.id,
    variables: [
      { name: 'RELEASE', type: 'string', default: '2.4.1' },
      { name: 'FAIL', type: 'boolean', default: false },
    ],
    steps: [
      {
        key: 'facts',
        name: 'Look around',
        command: 'uname -a; printf "\\033[31mred\\033[0m \\033[1mbold\\033[0m\\n"; echo to stderr >&2',
      },
      {
        key: 'restart',
        name: 'Restart',
        command: 'echo release {{ RELEASE }}; if [ "$FAIL" = true ]; then exit 3; fi',
        targets: 'number!=2',
      },
    ],
  });
  const run = async (variables: object): Promise<string> => {
    const started = await call('POST', '/api/executions', {
      planId: plan.id,
      execution_mode: 'auto',
      variables,
    });
    await call('GET', `/api/executions/${started.id}?wait=50&until=settled`);
    return started.id;
  };
  const seeded = {
    environmentId: environment.id,
    planId: plan.id,
    succeededRunId: await run({}),
    failedRunId: await run({ FAIL: true }),
  };
  const collectionId = await seedCollections(call);
  return {
    ...seeded,
    collectionId,
    notificationRuleId: rule.id,
    ...(await seedWaitingRuns(call, fleet, { sshKeyId, guarded, lonely, planId: plan.id })),
  };
}

async function seedCollections(call: Call): Promise<string> {
  const { id } = await call('POST', '/api/collections', {
    name: 'Releases',
    description: 'What goes to the customers',
    freeze: { reason: 'Release 4.2 goes out', until: '2099-12-31T08:00:00Z' },
  });
  const inside = await call('POST', '/api/collections', { name: 'Web', parentId: id });
  const steps = [{ key: 'announce', name: 'Announce', command: 'true' }];
  await call('POST', '/api/plans', { name: 'Announce the release', collectionId: inside.id, steps });
  return id;
}

interface SeedIds {
  sshKeyId: string;
  /** Address of a host in a protected environment, and of a host that loses a command. */
  guarded: string;
  lonely: string;
  planId: string;
}

async function seedWaitingRuns(call: Call, fleet: Fleet, { sshKeyId, guarded, lonely, planId }: SeedIds) {
  const startUntilSettled = async (body: object): Promise<string> => {
    const { id } = await call('POST', '/api/executions', body);
    await call('GET', `/api/executions/${id}?wait=50&until=settled`);
    return id;
  };
  const createEnvironment = async (name: string, address: string): Promise<string> => {
    const { id } = await call('POST', '/api/environments', { name });
    await registerServers(call, fleet, { sshKeyId, environmentId: id, addresses: [address], name });
    return id;
  };
  const production = await createEnvironment('production', guarded);
  await call('PATCH', `/api/environments/${production}`, { protected: true });
  const atticId = await createEnvironment('attic', lonely);
  const lossyPlan = await call('POST', '/api/plans', {
    name: 'Lose a command',
    environmentId: atticId,
    // The command and its supervisor on the host end together, so the end cannot be observed.
    steps: [{ key: 'lose', name: 'Lose', command: 'kill -9 $PPID' }],
  });
  return {
    dryRunId: await startUntilSettled({ planId, execution_mode: 'dry_run' }),
    pausedRunId: await startUntilSettled({
      planId,
      execution_mode: 'auto',
      environmentId: production,
      targets: 'name=production-1',
    }),
    unknownRunId: await startUntilSettled({ planId: lossyPlan.id, execution_mode: 'auto' }),
    failingRunId: await startUntilSettled({ planId, execution_mode: 'semi_assisted', variables: { FAIL: true } }),
  };
}
