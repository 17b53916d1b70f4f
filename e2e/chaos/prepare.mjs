import path from 'node:path';
import { commandOf } from './evidence.mjs';
import { CHANGED_EXIT_CODE } from './plans.mjs';

/**
 * Number of lines between the first and the last line of a file. Both lines name the run, so that a partial write is
 * visible.
 */
const FILE_LINES = 200;
export const FILE_TEMPLATE = `run {{ CHAOS_RUN }}\n${'=\n'.repeat(FILE_LINES)}end {{ CHAOS_RUN }}\n`;
export const fileOf = (marker) => FILE_TEMPLATE.replaceAll('{{ CHAOS_RUN }}', marker);

/**
 * @returns {Promise<{ environmentIds: Record<string, string>, planIds: Record<string, string>, hostNames: Map<string,
 *   string>, files: object[] }>} `hostNames`: host name by server ID; `files`: files written by template steps
 */
export async function prepare(rig, { seed, environments, plans }) {
  const { client } = rig;
  const environmentIds = {};
  for (const [name, { approvals }] of Object.entries(environments)) {
    const policy = approvals > 0 ? { protected: true, requiredApprovals: approvals } : {};
    const { id } = await client.demand('POST', '/api/environments', { name: `${name} ${seed}`, ...policy });
    environmentIds[name] = id;
    for (const { userId } of rig.approvers)
      await client.demand('PUT', `/api/environments/${id}/grants/${userId}`, { level: 'approve' });
  }
  const hostNames = await registerServers(rig, seed, environments, environmentIds);
  const planIds = {};
  const files = [];
  for (const plan of plans) {
    const steps = [];
    for (const step of plan.steps) steps.push(await requestOf(rig, seed, plan, step, files));
    const body = {
      name: `${plan.name} ${seed}`,
      environmentId: environmentIds[plan.environment],
      variables: [{ name: 'CHAOS_RUN', type: 'string', required: true }],
      strategy: plan.strategy,
      parallelSafe: plan.parallelSafe,
      ...(plan.timeoutSeconds === null ? {} : { timeoutSeconds: plan.timeoutSeconds }),
      steps,
    };
    planIds[plan.name] = (await client.demand('POST', '/api/plans', body)).id;
  }
  return { environmentIds, planIds, hostNames, files };
}

async function registerServers(rig, seed, environments, environmentIds) {
  const hostNames = new Map();
  for (const host of rig.hosts) {
    host.forget();
    const [environment] = Object.entries(environments).find(([, { hosts }]) => hosts.includes(host.name));
    const server = await rig.client.demand('POST', '/api/inventory/servers', {
      name: `${host.name}-${seed}`,
      ...(await host.openAddress()),
      username: host.user,
      sshKeyId: rig.keyId,
      environmentId: environmentIds[environment],
      tags: { host: host.name },
      hostKey: host.hostKey,
    });
    // Each trial registers the same hosts in new environments, some of them protected.
    await rig.client.demand('PUT', `/api/inventory/servers/${server.id}/host-key/shared`, { shared: true });
    hostNames.set(server.id, host.name);
  }
  return hostNames;
}

async function requestOf(rig, seed, plan, step, files) {
  const { key, type } = step;
  const common = {
    key,
    type,
    ...(step.confirm ? { confirm: true } : {}),
    ...(step.timeoutSeconds === null ? {} : { timeoutSeconds: step.timeoutSeconds }),
  };
  if (type === 'gate') return { ...common, message: 'Continue?' };
  const onHosts = {
    ...common,
    targets: `host in (${step.hosts.join(',')})`,
    ...(step.always ? { always: true } : {}),
    ...(step.runOnce ? { runOnce: true } : {}),
    ...(step.batch === null ? {} : { batch: step.batch }),
    ...(step.retries === null ? {} : { retries: step.retries }),
    ...(step.onFailure === null ? {} : { onFailure: step.onFailure }),
    ...(step.maxFailPercent === null ? {} : { maxFailPercent: step.maxFailPercent }),
    ...(step.onlyIfChanged.length > 0 ? { onlyIfChanged: step.onlyIfChanged } : {}),
  };
  const token = step.uses ? `{{ steps.${step.uses}.outputs.token }}` : null;
  const program = {
    ...onHosts,
    ...(step.idempotent ? { idempotent: true } : {}),
    ...(step.outputs ? { outputs: ['token'] } : {}),
    ...(step.changeOn.length > 0 ? { changedExitCodes: [CHANGED_EXIT_CODE] } : {}),
  };
  const name = `${plan.name} ${key} ${seed}`;
  switch (type) {
    case 'script': {
      const script = await rig.client.demand('POST', '/api/scripts', { name, content: commandOf(step) });
      return { ...program, scriptId: script.id, ...(token ? { arguments: [token] } : {}) };
    }
    case 'template': {
      const template = await rig.client.demand('POST', '/api/templates', { name, content: FILE_TEMPLATE });
      const host = rig.hosts.find((each) => each.name === step.hosts[0]);
      const file = path.join(host.home, `${plan.name}-${key}-${seed}.conf`);
      files.push({ host: host.name, plan: plan.name, step: key, path: file });
      return { ...onHosts, templateId: template.id, path: file, validate: `test -s %s || exit 3\n${commandOf(step)}` };
    }
    default:
      return { ...program, command: `${token ? `set -- ${token}\n` : ''}${commandOf(step)}` };
  }
}
