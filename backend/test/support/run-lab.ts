import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import type { HostResultView, OutputLineView, OutputView } from '../../src/executions/contract/results.view.js';
import type { PlanStepRequest } from '../../src/plans/steps/plan-step.dto.js';
import type { CreatePlanRequest } from '../../src/plans/plans.dto.js';
import type { VariableDefinition } from '../../src/plans/variables/variable-definition.js';
import type { Answer, ApiClient } from './api-client.js';
import { generateKeyPair } from '../../src/transport/keys/key-material.js';
import { type Installation, startInstallation, type TestMember } from './installation.js';
import { type SshHosts, startSshHosts } from './ssh-hosts.js';

/** The keys default to `step-1`, `step-2`, …. */
export type LabStep = Partial<PlanStepRequest>;

export type LabPlan = Omit<Partial<CreatePlanRequest>, 'steps' | 'name' | 'variables'> & {
  variables?: VariableDefinition[];
};

export interface LabServer {
  id: string;
  name: string;
}

/** Tenant with an environment, a key and servers on real hosts: everything except a plan. */
export interface RunLab {
  runward: Installation;
  hosts: SshHosts;
  admin: TestMember;
  api: ApiClient;
  environmentId: string;
  keyId: string;
  /**
   * `web-1`, `web-2`, …, one per address, with the tag `role=web`. If there are several, the last one has `role=db`.
   */
  servers: LabServer[];
  /** Addresses of hosts without a registered server. */
  spare: readonly string[];
  /** Folder that the login user of the hosts can write to. */
  evidence: string;
  /**
   * Marks host keys as shared by several machines. Otherwise an open environment refuses a key that is pinned in a
   * protected environment.
   */
  shareHostKey(): Promise<void>;
  /** Content of a file in the evidence folder; empty if the file does not exist. */
  left(file: string): Promise<string>;
  /** Registers another server. By default with the host key of the host at its address. */
  server(fields: Record<string, unknown>): Promise<LabServer>;
  environment(name: string): Promise<string>;
  /** @returns the ID of the saved plan */
  plan(steps: (LabStep | string)[], more?: LabPlan): Promise<string>;
  tryStart(planId: string, more?: Record<string, unknown>, api?: ApiClient): Promise<Answer<ExecutionView>>;
  start(planId: string, more?: Record<string, unknown>, api?: ApiClient): Promise<ExecutionView>;
  get(id: string): Promise<ExecutionView>;
  /** Waits until the run ends. @throws Error after `seconds` */
  settled(id: string, seconds?: number): Promise<ExecutionView>;
  run(steps: (LabStep | string)[], more?: LabPlan & { start?: Record<string, unknown> }): Promise<ExecutionView>;
  results(id: string, query?: string): Promise<HostResultView[]>;
  lines(id: string, query?: string): Promise<OutputLineView[]>;
  text(id: string, serverId: string, stepKey?: string): Promise<string>;
  close(): Promise<void>;
}

export interface LabOptions {
  /** Default 1. */
  hosts?: number;
  /** Addresses without a server; default 0. */
  spare?: number;
  settings?: NodeJS.ProcessEnv;
}

export async function startRunLab({
  hosts: count = 1,
  spare: further = 0,
  settings = {},
}: LabOptions = {}): Promise<RunLab> {
  const evidence = await mkdtemp(path.join(os.tmpdir(), 'runward-evidence-'));
  await chmod(evidence, 0o777);
  const all = Array.from({ length: count + further }, (_, index) => `127.0.1.${index + 1}`);
  const addresses = all.slice(0, count);
  const spare = all.slice(count);
  const [hosts, runward] = await Promise.all([startSshHosts({ addresses: all }), startInstallation(settings)]);
  const admin = await runward.tenant();
  // The owner of an external database is no superuser, so it sees only rows of this tenant.
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
  const { api } = admin;
  let numbered = 0;
  const create = async (where: string, body: unknown): Promise<{ id: string }> => {
    const answer = await api.post<{ id: string }>(where, body);
    if (answer.status !== 201) throw new Error(`POST ${where}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const { id: keyId } = await create('/api/ssh-keys', { name: 'lab', privateKey: hosts.key.privateKey });
  const environment = async (name: string): Promise<string> => (await create('/api/environments', { name })).id;
  const environmentId = await environment('lab');
  const { sshd } = hosts;

  const lab: RunLab = {
    runward,
    hosts,
    admin,
    api,
    environmentId,
    keyId,
    servers: [],
    spare,
    evidence,
    environment,
    async shareHostKey() {
      for (const { id } of lab.servers) {
        const answer = await api.put(`/api/inventory/servers/${id}/host-key/shared`, { shared: true });
        if (answer.status !== 200) throw new Error(`The host key was not marked as shared: ${answer.text}`);
      }
    },
    left: (file) => readFile(path.join(evidence, file), 'utf8').catch(() => ''),
    async server(fields) {
      numbered += 1;
      const name = `extra-${numbered}`;
      const base = {
        name,
        hostname: addresses[0],
        port: sshd.port,
        username: sshd.user,
        sshKeyId: keyId,
        environmentId,
      };
      const body = { ...base, ...fields };
      const { id } = await create('/api/inventory/servers', { hostKey: await hostKeyAt(hosts, body), ...body });
      return { id, name: typeof fields.name === 'string' ? fields.name : name };
    },
    async plan(steps, more = {}) {
      numbered += 1;
      const body = {
        name: `plan-${numbered}`,
        environmentId,
        ...more,
        steps: steps.map((step, index) => ({
          key: `step-${index + 1}`,
          ...(typeof step === 'string' ? { command: step } : step),
        })),
      };
      return (await create('/api/plans', body)).id;
    },
    tryStart: (planId, more = {}, caller = api) =>
      caller.post<ExecutionView>('/api/executions', { planId, execution_mode: 'auto', ...more }),
    async start(planId, more, caller) {
      const answer = await lab.tryStart(planId, more, caller);
      if (answer.status !== 201) throw new Error(`The run was not accepted: ${answer.status} ${answer.text}`);
      return answer.body;
    },
    get: async (id) => (await api.get<ExecutionView>(`/api/executions/${id}`)).body,
    async settled(id, seconds = 40) {
      const { body } = await api.get<ExecutionView>(`/api/executions/${id}?wait=${seconds}&until=settled`);
      if (!body.finished)
        throw new Error(`After ${seconds} s the run is still ${body.status}: ${JSON.stringify(body.steps)}`);
      return body;
    },
    async run(steps, { start, ...more } = {}) {
      const { id } = await lab.start(await lab.plan(steps, more), start);
      return lab.settled(id);
    },
    results: async (id, query = 'limit=200') =>
      (await api.get<{ items: HostResultView[] }>(`/api/executions/${id}/results?${query}`)).body.items,
    async lines(id, query = '') {
      const lines: OutputLineView[] = [];
      let after: string | null = null;
      do {
        const page: Answer<OutputView> = await api.get(
          `/api/executions/${id}/output?${query}${after ? `&after=${after}` : ''}`,
        );
        if (page.status !== 200) throw new Error(`GET output: ${page.status} ${page.text}`);
        lines.push(...page.body.items);
        after = page.body.readPercent < 100 ? page.body.nextAfter : null;
      } while (after);
      return lines;
    },
    text: async (id, serverId, stepKey = 'step-1') =>
      (await api.get(`/api/executions/${id}/output?serverId=${serverId}&stepKey=${stepKey}`, { accept: 'text/plain' }))
        .text,
    async close() {
      await runward.close();
      await hosts.stop();
      await rm(evidence, { recursive: true, force: true });
    },
  };
  for (const [index, hostname] of addresses.entries()) {
    const role = count > 1 && index === count - 1 ? 'db' : 'web';
    lab.servers.push(
      await lab.server({ name: `web-${index + 1}`, hostname, tags: { role, number: String(index + 1) } }),
    );
  }
  return lab;
}

async function hostKeyAt(hosts: SshHosts, at: { hostname: unknown; port: unknown }): Promise<object> {
  const { hostname, port } = at;
  const { sshd } = hosts;
  if (port === sshd.port && typeof hostname === 'string' && sshd.addresses.includes(hostname))
    return hosts.hostKey(hostname);
  return { publicKey: (await generateKeyPair({ type: 'ed25519', comment: 'nobody' })).publicKey };
}
