import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ensureLoginUser, ensureSshd, type RunningSshd, startSshd } from '../../../scripts/lib/sshd.mjs';
import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import type { HostResultView } from '../../src/executions/contract/results.view.js';
import { made } from './environment-scene.js';
import { type RunLab, startRunLab } from './run-lab.js';

/** Hosts for dry runs. Tests can prove that a dry run changed nothing on them. */
export interface DryLab {
  lab: RunLab;
  sshd: RunningSshd;
  environmentId: string;
  /** Registers another server for the same host. @returns its ID */
  server(name: string, fields?: Record<string, unknown>): Promise<string>;
  plan(steps: object[], fields?: object): Promise<string>;
  dryRun(planId: string, fields?: Record<string, unknown>): Promise<ExecutionView>;
  cells(id: string): Promise<Map<string, HostResultView>>;
  /** Lists the files in the evidence folder, and in the home of a separate login user, with sizes and times. */
  listTraces(): Promise<string[]>;
  /** Number of new lines in sshd's log that contain `words`. */
  countLogged(words: string): Promise<number>;
  close(): Promise<void>;
}

interface DryLabOptions {
  ownUser?: boolean;
  settings?: Record<string, string>;
}

const USER = 'runward-dry';

/**
 * Starts the hosts `one` (role=web, flavour=plain) and `two` (role=db) in a new environment.
 * @param options `ownUser`: create a separate login user for the hosts, where that is possible
 */
export async function startDryLab({ ownUser = false, settings = {} }: DryLabOptions = {}): Promise<DryLab> {
  const lab = await startRunLab({ hosts: 1, settings });
  const { api } = lab;
  const user = await ensureLoginUser(...(ownUser ? [USER] : []));
  const dir = await mkdtemp(path.join(os.tmpdir(), 'runward-dry-'));
  const sshd = await startSshd({
    sshdPath: await ensureSshd(),
    dir,
    user,
    addresses: Array.from({ length: 6 }, (_, index) => `127.0.2.${index + 1}`),
    authorizedKeys: [lab.hosts.key.publicKey],
    extraConfig: 'LogLevel VERBOSE',
  });
  // Only the home of a separate user is traced, because the home of a shared account changes all the time.
  const tracedFolders = user === USER ? [path.join('/var/lib', USER), lab.evidence] : [lab.evidence];
  const environmentId = await lab.environment('dry');
  let read: number[] = [];
  let plans = 0;
  const dry: DryLab = {
    lab,
    sshd,
    environmentId,
    server: (name, fields = {}) => {
      const hostname = typeof fields.hostname === 'string' ? fields.hostname : '127.0.2.1';
      const { type, publicKey } = sshd.hostKeyOf(hostname);
      return made(
        api.post('/api/inventory/servers', {
          name,
          hostname,
          port: sshd.port,
          username: user,
          sshKeyId: lab.keyId,
          environmentId,
          hostKey: { publicKey: `${type} ${publicKey}` },
          ...fields,
        }),
      );
    },
    plan: (steps, fields = {}) => {
      plans += 1;
      return made(api.post('/api/plans', { name: `dry-${plans}`, environmentId, steps, ...fields }));
    },
    async dryRun(planId, fields) {
      const { id } = await lab.start(planId, { execution_mode: 'dry_run', ...fields });
      return lab.settled(id);
    },
    cells: async (id) =>
      new Map((await lab.results(id)).map((result) => [`${result.stepKey} ${result.serverName}`, result])),
    listTraces: async () => (await Promise.all(tracedFolders.map(listFolder))).flat(),
    async countLogged(words) {
      const texts = await Promise.all(
        sshd.addresses.map((address) => readFile(path.join(dir, address, 'sshd.log'), 'utf8')),
      );
      const fresh = texts.flatMap((text, index) => text.slice(read[index] ?? 0).split('\n'));
      read = texts.map(({ length }) => length);
      return fresh.filter((line) => line.includes(words)).length;
    },
    async close() {
      await sshd.stop();
      await lab.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
  await dry.server('one', { tags: { role: 'web', flavour: 'plain' } });
  await dry.server('two', { hostname: '127.0.2.2', tags: { role: 'db' } });
  return dry;
}

async function listFolder(folder: string): Promise<string[]> {
  const names = ['.', ...(await readdir(folder, { recursive: true }))].sort();
  return Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs, mode } = await stat(path.join(folder, name));
      return [folder, name, size, mtimeMs, mode].join(' ');
    }),
  );
}
