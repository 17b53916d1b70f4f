import { apiOf } from './api.js';
import type { Fleet } from './fleet.js';
import { registerFleet } from './fleet-in-runward.js';
import type { Runward } from './runward.js';

/** What a seeded Runward holds. */
export interface Seeded {
  environmentId: string;
  planId: string;
  /** A run that succeeded, and one in which a host failed. */
  greenRunId: string;
  redRunId: string;
}

/** Fills a Runward over its public API: an environment with a server per address of the fleet, a plan, two runs. */
export async function seed(runward: Runward, fleet: Fleet): Promise<Seeded> {
  const call = await apiOf(runward);
  const environment = await call('POST', '/api/environments', {
    name: 'staging',
    description: 'Before production',
  });
  await registerFleet(call, fleet, environment.id);
  await call('POST', '/api/tokens', { name: 'pipeline' });
  await call('POST', '/api/members', {
    email: 'ana@e2e.test',
    name: 'Ana',
    role: 'operator',
    password: 'a password for the story',
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
  return {
    environmentId: environment.id,
    planId: plan.id,
    greenRunId: await run({}),
    redRunId: await run({ FAIL: true }),
  };
}
