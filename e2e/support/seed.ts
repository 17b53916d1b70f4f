import type { Fleet } from './fleet.js';
import type { Runward } from './runward.js';

/** What a seeded Runward holds. */
export interface Seeded {
  environmentId: string;
  planId: string;
  /** A run that succeeded, and one in which a host failed. */
  greenRunId: string;
  redRunId: string;
}

interface Identified {
  id: string;
  publicKey?: string;
}

/** Fills a Runward over its public API: an environment with a server per address of the fleet, a plan, two runs. */
export async function seed(runward: Runward, fleet: Fleet): Promise<Seeded> {
  const login = await fetch(`${runward.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: runward.email, password: runward.password }),
  });
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(runward.url + path, {
      method,
      headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const environment = await call<Identified>('POST', '/api/environments', {
    name: 'staging',
    description: 'Before production',
  });
  const key = await call<Identified>('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  await fleet.addAuthorizedKey(key.publicKey ?? '');
  for (const [index, hostname] of fleet.addresses.entries()) {
    await call('POST', '/api/inventory/servers', {
      name: `web-${index + 1}`,
      hostname,
      port: fleet.port,
      username: fleet.user,
      sshKeyId: key.id,
      environmentId: environment.id,
      tags: { role: 'web', number: String(index + 1) },
      hostKey: { publicKey: `${fleet.hostKey.type} ${fleet.hostKey.publicKey}` },
    });
  }
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
  const plan = await call<Identified>('POST', '/api/plans', {
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
    const started = await call<Identified>('POST', '/api/executions', {
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
