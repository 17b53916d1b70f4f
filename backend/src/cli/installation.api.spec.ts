import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/support/eventually.js';
import { type ApiClient, apiClient } from '../../test/support/api-client.js';
import { PASSWORD } from '../../test/support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from '../../test/support/one-of-each.js';
import { operations } from '../../test/support/openapi.js';
import { launchProgram } from '../../test/support/run-program.js';
import { type RunLab, startRunLab } from '../../test/support/run-lab.js';
import { queryAs } from '../../test/support/table-contents.js';
import { startWorkerProcess, type WorkerProcess } from '../../test/support/worker-process.js';
import type { ExecutionView } from '../executions/contract/execution.view.js';
import type { InstallationView } from '../common/installation/installation.view.js';
import { GENERATION_SETTING, SCHEMA_GENERATION } from '../common/database/schema-generation.js';
import { newId } from '../common/ids.js';
import { CONTINUING_QUEUES, QUEUES } from '../common/queue/queue-names.js';

const OPERATIONS_WHILE_HELD = ['login', 'logout', 'exchangeIdentityToken'];
const ALL_QUEUES = Object.values(QUEUES);

const OUTGOING = { RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1' };

let lab: RunLab;
let worker: WorkerProcess;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'runward-admin-'));
  lab = await startRunLab({
    settings: { RUNWARD_DATA_DIR: join(dataDir, 'api'), ...OUTGOING },
  });
  worker = await startWorkerProcess(lab.runward, OUTGOING);
});
afterAll(async () => {
  await worker?.end('SIGKILL');
  await lab?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const runAdmin = async (...args: string[]) => {
  const ended = await launchProgram('admin', args, { database: lab.runward.database, dataDir }).ended;
  expect(ended).toMatchObject({ code: 0, errors: '' });
  return ended.output;
};
const waitForState = (state: string) =>
  eventually(`the API is ${state}`, async () => {
    const { body } = await lab.runward.anonymous.get<InstallationView>('/api/installation');
    return body.state === state && body;
  });
const restore = async () => {
  const [row] = await lab.runward.database.query<{ state: string }>('select state from installation');
  if (row?.state === 'active') return;
  await runAdmin('resume');
  await waitForState('active');
};
const sessions = async () => {
  const rows = await lab.runward.database.query<{ name: string; count: number }>(
    `select application_name as name, count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like 'runward%' group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
};
/** Adds one job to each queue and claims it as a worker does. @returns queues whose job was claimed */
async function queuesWithTakenJob(): Promise<string[]> {
  const { database } = lab.runward;
  const job = { tenantId: newId(), test: true };
  await database.query(`select set_config('${GENERATION_SETTING}', $1, false)`, [String(SCHEMA_GENERATION)]);
  for (const queue of ALL_QUEUES)
    await database.query(
      `insert into pgboss.job (name, data, start_after) values ($1, $2, now() + interval '1 hour')`,
      [queue, job],
    );
  const rows = await database.query<{ name: string }>(
    `update pgboss.job set state = 'active' where data = $1 returning name`,
    [job],
  );
  await database.query(`delete from pgboss.job where data = $1`, [job]);
  return rows.map(({ name }) => name).sort();
}
const actions = async () => {
  const rows = await queryAs<{ action: string }>(
    lab.runward.database,
    lab.admin.tenantId,
    `select action from audit_entries where resource_type = 'installation' order by id`,
  );
  return rows.map(({ action }) => action);
};
const left = async (file: string) => (await lab.left(file)).split('\n').filter(Boolean);
const note = (file: string) => `echo x >> ${lab.evidence}/${file}`;
const until = (file: string) => `until [ -e ${lab.evidence}/${file} ]; do sleep 0.05; done`;

describe('a draining installation', () => {
  afterEach(restore);

  it('finishes running runs and starts nothing: waiting runs show the reason, and continue after resume', async () => {
    const begun = await lab.start(await lab.plan([`${note('begun')}; ${until('go')}`, note('begun')]));
    await eventually('it runs', async () => (await left('begun')).length === 1);
    await runAdmin('drain', '--reason', 'Kernel upgrade until noon.');
    await waitForState('draining');
    const planId = await lab.plan([note('new')], { parallelSafe: true });
    const refused = await lab.tryStart(planId);
    expect(refused).toMatchObject({ status: 503, body: { code: 'installation_draining' } });
    expect(refused.text).toContain('Kernel upgrade until noon.');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await queuesWithTakenJob()).toEqual([...CONTINUING_QUEUES].sort());

    await writeFile(join(lab.evidence, 'go'), '');
    expect(await lab.settled(begun.id)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await left('begun')).toHaveLength(2);
    await lab.environment('made while draining');
    await runAdmin('resume');
    await waitForState('active');
    expect(await lab.settled((await lab.start(planId)).id)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('keeps a run in the queue that was accepted just before', async () => {
    await worker.end('SIGTERM');
    const waiting = await lab.start(await lab.plan([note('waiting')]));
    await runAdmin('drain', '--reason', 'Disk swap.');
    await waitForState('draining');
    worker = await startWorkerProcess(lab.runward, OUTGOING);
    await eventually('a worker has taken its job, and left it', async () => {
      const jobs = await lab.runward.database.query(
        `select from pgboss.job where name = 'advance-run' and state <> 'completed'`,
      );
      return jobs.length === 0;
    });
    expect(await lab.get(waiting.id)).toMatchObject({
      status: 'PENDING',
      statusReason: { code: 'installation_draining', text: 'The installation is draining. Disk swap.' },
    });
    expect(await left('waiting')).toEqual([]);
    // Makes the run old enough for the sweep, so that the test need not wait.
    await lab.runward.database.query(
      `update executions set created_at = created_at - interval '2 minutes' where id = $1`,
      [waiting.id],
    );
    await runAdmin('installation', 'resume');
    expect(await lab.settled(waiting.id)).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
  });
});

describe('a held installation', () => {
  let withWorker: Record<string, number>;
  let run: ExecutionView;
  let output: string;

  beforeAll(async () => {
    withWorker = await sessions();
    run = await lab.start(await lab.plan([`${note('held')}; ${until('on')}`, note('held')]));
    await eventually('it runs', async () => (await left('held')).length === 1);
    output = await runAdmin('hold', '--reason', 'Move to another rack.');
    await waitForState('held');
  });
  afterAll(restore);

  it('has no active worker and no available jobs', async () => {
    expect(output).toContain('nothing starts, runs or is sent. Move to another rack. Run `npm run admin -- resume`');
    // The worker keeps one connection, on which it is notified when it may work again.
    const held = await sessions();
    expect(held['runward-queue-worker']).toBeUndefined();
    expect(held['runward-installation']).toBe(withWorker['runward-installation']);
    expect(await queuesWithTakenJob()).toEqual([]);
    expect(await lab.get(run.id)).toMatchObject({ status: 'RUNNING', statusReason: { code: 'installation_held' } });
  });

  it('refuses every write except sign-in and sign-out, answers every read, and reports its state', async () => {
    for (const { operationId, method, path } of operations) {
      if (operationId === 'logout' || operationId === 'streamExecution') continue;
      const body = method === 'GET' ? undefined : '{"unknown":1}';
      const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
      const answer = await lab.api.raw<{ code?: string }>(
        method,
        `${fillPath(path, newId())}?unknown=1`,
        body,
        headers,
      );
      const refused = method !== 'GET' && !OPERATIONS_WHILE_HELD.includes(operationId);
      expect([operationId, answer.headers.get('runward-installation')]).toEqual([operationId, 'held; cause=person']);
      expect([operationId, answer.status, answer.body.code === 'installation_held']).toEqual([
        ...[operationId, refused ? 503 : 400, refused],
      ]);
    }
    const anonymousAnswer = await lab.runward.anonymous.post('/api/environments', { name: 'x' });
    expect(anonymousAnswer.status).toBe(401);
  });

  it('continues after resume', async () => {
    await writeFile(join(lab.evidence, 'on'), '');
    expect(await runAdmin('installation')).toMatch(/: held since .*\n.* Workers: 0\.\nThis installation is held/s);
    await runAdmin('resume');
    await waitForState('active');
    expect((await lab.api.get('/api/plans')).headers.get('runward-installation')).toBeNull();
    expect(await lab.settled(run.id)).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
    expect(await left('held')).toHaveLength(2);
    expect(await queuesWithTakenJob()).toEqual([...ALL_QUEUES].sort());
  });

  it('records each change in the audit trail of every tenant', async () => {
    const [drain, resume] = ['installation.drain', 'installation.resume'];
    expect(await actions()).toEqual([drain, resume, drain, resume, 'installation.hold', resume]);
  });
});

describe('outgoing calls of a held installation', () => {
  /**
   * Time after the hold at which the calls end, in ms. A command that does not wait for the calls would finish earlier.
   */
  const ANSWER_MS = 2_500;
  /** Server for all external addresses in the tenant's records. Keeps calls open until `endCalls`. */
  let outsideServer: Server;
  const open = new Set<Socket>();
  let shouldEndCalls = false;
  let calls = 0;
  let url = '';
  let ids: OneOfEach;
  let api: ApiClient;
  const reads = () => [
    ...operations
      .filter(({ method, operationId }) => method === 'GET' && operationId !== 'streamExecution')
      .map(({ path }) => fillPath(path, ids)),
    ...['tree', 'commits', 'file?path=a'].map((part) => `/api/git-sources/${ids.gitSourceId}/${part}`),
  ];
  const endCalls = () => {
    shouldEndCalls = true;
    for (const socket of open) socket.destroy();
  };

  beforeAll(async () => {
    outsideServer = createServer((socket) => {
      calls += 1;
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
      if (shouldEndCalls) socket.destroy();
    });
    await new Promise<void>((done) => void outsideServer.listen(0, '127.0.0.1', done));
    const { port } = outsideServer.address() as AddressInfo;
    url = `https://127.0.0.1:${port}/`;
    const { admin, runward } = lab;
    const login = await runward.anonymous.post('/api/auth/login', { email: admin.email, password: PASSWORD });
    api = apiClient(runward.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
    ids = await makeOneOfEach({ ...admin, api }, 'outside');
    const source = { gitSourceId: ids.gitSourceId, path: 'a' };
    expect((await api.patch(`/api/scripts/${ids.scriptId}`, { source })).status).toBe(200);
    const steps = [{ key: 'one', type: 'script', scriptId: ids.scriptId, interpreter: 'sh' }];
    expect((await api.patch(`/api/plans/${ids.planId}`, { steps })).status).toBe(200);
    for (const statement of [
      // The state is `ready` because another machine has synced. This machine still has to fetch the commit.
      `update git_sources set url = '${url}x.git', state = 'ready', commit = repeat('a', 40)`,
      `update webhooks set url = '${url}'`,
      `update oidc_trust_rules set issuer = '${url}'`,
      `update servers set hostname = '127.0.0.1', port = ${port} where id = '${ids.serverId}'`,
    ])
      await runward.database.query(statement);
  });
  afterAll(async () => {
    endCalls();
    outsideServer.close();
    await restore();
  });

  it('have all ended when the hold is confirmed; reads begin no new ones, unlike in an active installation', async () => {
    const webhook = await api.post<{ id: string }>('/api/webhooks', {
      ...{ name: 'receiver', url, events: ['execution.finished'] },
    });
    expect(webhook.status).toBe(201);
    await lab.run(['true']);
    await eventually('the receiver is called', async () => {
      const [row] = await lab.runward.database.query<{ sender: string | null }>(
        `select sender from webhooks where id = '${webhook.body.id}'`,
      );
      return row?.sender && open.size > 0;
    });
    const held = runAdmin('hold', '--reason', 'Copy of the data folder.');
    await waitForState('held');
    setTimeout(endCalls, ANSWER_MS);
    expect(await held).not.toContain('have not stopped yet');
    expect(open.size).toBe(0);
    endCalls();

    const before = calls;
    const answers = new Map<string, number>();
    for (const path of reads()) answers.set(path, (await api.get(path)).status);
    expect(calls).toBe(before);
    const refused = [...answers].filter(([, status]) => status === 503).map(([path]) => path.replace(/\?.*/, ''));
    expect(refused.sort()).toEqual(
      [
        `/api/scripts/${ids.scriptId}/program`,
        ...['commits', 'file', 'tree'].map((part) => `/api/git-sources/${ids.gitSourceId}/${part}`),
      ].sort(),
    );
    await worker.end('SIGKILL');
    await runAdmin('resume');
    await waitForState('active');
    const read = await api.get(`/api/git-sources/${ids.gitSourceId}/tree`);
    expect([read.status, calls > before]).toEqual([409, true]);
  });
});

describe("a change of the installation that one tenant's audit trail refuses", () => {
  afterEach(restore);

  it("is not made, and is in no other tenant's audit trail", async () => {
    const { database } = lab.runward;
    const other = await lab.runward.tenant();
    const before = await actions();
    await database.query(
      `alter table audit_entries add constraint refused check (tenant_id <> '${other.tenantId}' or resource_type <> 'installation') not valid`,
    );
    const { code } = await launchProgram('admin', ['drain', '--reason', 'Unwritten.'], { database, dataDir }).ended;
    await database.query('alter table audit_entries drop constraint refused');
    expect(code).not.toBe(0);
    expect(await database.query('select state, reason from installation')).toEqual([{ state: 'active', reason: null }]);
    expect(await actions()).toEqual(before);
  });
});
