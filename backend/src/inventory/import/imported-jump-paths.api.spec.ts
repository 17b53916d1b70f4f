import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, makeScene } from '../../../test/support/environment-scene.js';
import {
  type Installation,
  startInstallation,
  type TestMember,
  type TestWorker,
} from '../../../test/support/installation.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { ServerView } from '../servers.view.js';
import type { ImportEntryView, ImportView } from './orders/import.view.js';

const SERVERS = '/api/inventory/servers';

interface Fault {
  detail: string;
  errors?: { message: string }[];
}

let runward: Installation;
let worker: TestWorker;
let admin: TestMember;
let scene: EnvironmentScene;
beforeAll(async () => {
  runward = await startInstallation();
  worker = await runward.worker();
  admin = await runward.tenant('acme');
});
afterAll(async () => {
  await worker.stop();
  await runward.close();
});

const order = (format: string, content: string | object, more: object) => ({
  format,
  content: typeof content === 'string' ? content : JSON.stringify(content),
  environmentId: scene.environmentId,
  sshKeyId: scene.keyId,
  username: 'deploy',
  ...more,
});
const ask = (format: string, content: string | object, { preview = false, ...more }: Record<string, unknown> = {}) =>
  admin.api.post<ImportView & Fault>(
    `${SERVERS}/import?wait=50${preview ? '&preview=true' : ''}`,
    order(format, content, more),
  );
const entriesOf = async ({ body: { id } }: { body: { id: string } }) =>
  (await admin.api.get<{ items: ImportEntryView[] }>(`/api/inventory/imports/${id}/entries?limit=200`)).body.items;
const server = async (name: string) => {
  const { body } = await admin.api.get<{ items: ServerView[] }>(
    `${SERVERS}?name=${name}&environmentId=${scene.environmentId}`,
  );
  return body.items[0];
};
/** Returns the names of the jump servers, nearest to the server first. */
async function jumpPathOf(name: string): Promise<string[]> {
  const way: string[] = [];
  for (let at = await server(name); at?.jumpServerId; ) {
    at = (await admin.api.get<ServerView>(`${SERVERS}/${at.jumpServerId}`)).body;
    way.push(at.name);
  }
  return way;
}
const faultsOf = ({ body }: { body: ImportView }) =>
  body.faults.map(({ entry, line, reason }) => `${line} ${entry} ${reason.code}`);
let numbered = 0;
async function fresh(): Promise<string> {
  numbered += 1;
  scene = await makeScene(admin.api, { name: `live-${numbered}`, hostname: `db-${numbered}.internal`, port: 22 });
  return `n${numbered}`;
}
const register = async (fields: object) => {
  const usual = { username: 'deploy', sshKeyId: scene.keyId, environmentId: scene.environmentId };
  const answer = await admin.api.post<ServerView>(SERVERS, { ...usual, ...fields });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
};
const keyLine = async () => (await generateKeyPair({ type: 'ed25519', comment: 'host' })).publicKey;

const SKIP_FAULTY_HINT = ' To import the other servers, leave out those that cannot be imported (skipFaulty).';

describe('jump hosts of an ssh_config', () => {
  it('become jump servers, by name or address, in any order, and appear in the preview', async () => {
    const n = await fresh();
    const text = [
      `Host ${n}-web-a ${n}-web-b\n  ProxyJump ${n}-inner`,
      `Host ${n}-inner\n  HostName 10.9.0.2\n  ProxyJump ${n}-bastion`,
      `Host ${n}-chained\n  ProxyJump deploy@10.9.0.1:2222,${n}-inner`,
      `Host ${n}-by-command\n  ProxyCommand ssh -W %h:%p -p 2222 10.9.0.1`,
      `Host ${n}-bastion\n  HostName 10.9.0.1\n  Port 2222\n  ProxyJump none`,
    ].join('\n');
    const shown = await ask('ssh-config', text, { preview: true });
    expect(shown.body).toMatchObject({ status: 'succeeded', counts: { create: 6 }, notCarried: [] });
    const entries = await entriesOf(shown);
    expect(entries.find(({ name }) => name === `${n}-web-b`)?.changes).toContainEqual({
      field: 'jumpServer',
      before: null,
      after: `${n}-inner`,
    });
    const applied = await admin.api.post<ImportView>(`/api/inventory/imports/${shown.body.id}/apply?wait=50`, {});
    expect(applied.body).toMatchObject({ status: 'succeeded', faults: [] });
    expect(await jumpPathOf(`${n}-web-a`)).toEqual([`${n}-inner`, `${n}-bastion`]);
    expect(await jumpPathOf(`${n}-chained`)).toEqual([`${n}-inner`, `${n}-bastion`]);
    expect(await jumpPathOf(`${n}-by-command`)).toEqual([`${n}-bastion`]);
    const again = await ask('ssh-config', text);
    expect(again.body.counts).toMatchObject({ leave: 6, change: 0, create: 0 });
  });

  it.each([
    ['ssh-config', (n: string) => `Host ${n}-lone\n  ProxyJump nowhere.example.com`],
    ['ssh-config', (n: string) => `Host ${n}-lone\n  ProxyCommand nc %h %p`],
    ['ssh-config', (n: string) => `Host ${n}-lone\n  ProxyJump ${n}-free,${n}-fixed`],
    ['ansible-ini', (n: string) => `${n}-lone ansible_ssh_common_args='-J nowhere.example.com'`],
    ['ansible-ini', (n: string) => `${n}-lone ansible_ssh_extra_args='-o ProxyCommand="nc %h %p"'`],
    ['json', (n: string) => [{ name: `${n}-lone`, jumpServer: 'nowhere' }]],
  ] as [string, (n: string) => string | object[]][])(
    'that are unknown leave out a new server, and do not change a registered one: %s %#',
    async (format, lone) => {
      const n = await fresh();
      const other = await register({ name: `${n}-other`, hostname: '10.9.1.9' });
      await register({ name: `${n}-fixed`, hostname: '10.9.1.8', jumpServerId: other.id });
      await register({ name: `${n}-free`, hostname: '10.9.1.7' });
      const refused = await ask(format, lone(n));
      expect(refused.body).toMatchObject({
        status: 'failed',
        faults: [{ entry: `${n}-lone`, reason: { code: 'jump_path' } }],
      });
      const without = await ask(format, lone(n), { skipFaulty: true });
      expect(without.body).toMatchObject({ status: 'succeeded', counts: { create: 0, skip: 1 } });
      expect(without.body.notCarried).toContainEqual(expect.objectContaining({ what: 'server', entry: `${n}-lone` }));
      expect(await server(`${n}-lone`)).toBeUndefined();

      await register({ name: `${n}-lone`, hostname: `${n}-lone`, jumpServerId: other.id });
      const known = await ask(format, lone(n));
      expect(known.body).toMatchObject({ status: 'succeeded', counts: { leave: 1 } });
      expect(await jumpPathOf(`${n}-lone`)).toEqual([`${n}-other`]);
    },
  );

  it('connect the hosts of a jump path, unless a host has another jump server', async () => {
    const n = await fresh();
    const other = await register({ name: `${n}-other`, hostname: '10.9.1.9' });
    await register({ name: `${n}-fixed`, hostname: '10.9.1.8', jumpServerId: other.id });
    const text = [
      `Host ${n}-a\nHost ${n}-b`,
      `Host ${n}-through\n  ProxyJump ${n}-a,${n}-b`,
      `Host ${n}-contradicted\n  ProxyJump ${n}-a,${n}-fixed`,
    ].join('\n');
    const { body } = await ask('ssh-config', text, { skipFaulty: true });
    expect(body.status).toBe('succeeded');
    expect(body.notCarried).toEqual([
      expect.objectContaining({
        entry: `${n}-contradicted`,
        reason: {
          code: 'not_imported',
          text: `The jump host "${n}-fixed" is itself reached through a different server than this text states.`,
        },
      }),
    ]);
    expect(await jumpPathOf(`${n}-through`)).toEqual([`${n}-b`, `${n}-a`]);
    expect(await server(`${n}-contradicted`)).toBeUndefined();
  });

  it('in a cycle or of more than three hosts are rejected with path, entry and line', async () => {
    const n = await fresh();
    const circle = await ask(
      'ssh-config',
      `Host ${n}-x\n  ProxyJump ${n}-y\nHost ${n}-y\n  ProxyJump ${n}-x\nHost ${n}-self\n  ProxyJump ${n}-self`,
    );
    expect(circle.body.status).toBe('failed');
    expect(faultsOf(circle)).toEqual([`1 ${n}-x jump_path`, `5 ${n}-self jump_path`]);
    expect(circle.body.faults.map(({ reason }) => reason.text)).toEqual([
      `"${n}-x" would be reached through itself: ${n}-x → ${n}-y → ${n}-x. Choose another jump server.${SKIP_FAULTY_HINT}`,
      `"${n}-self" would be reached through itself: ${n}-self → ${n}-self. Choose another jump server.${SKIP_FAULTY_HINT}`,
    ]);
    const row = ['a', 'b', 'c', 'd', 'e'].map(
      (each, index, all) => `Host ${n}-${each}\n${index > 0 ? `  ProxyJump ${n}-${all[index - 1]}\n` : ''}`,
    );
    const long = await ask('ssh-config', row.join(''));
    expect(long.body.status).toBe('failed');
    expect(long.body.faults).toMatchObject([{ entry: `${n}-e`, line: 8 }]);
    expect(long.body.faults[0]?.reason.text).toContain(`${n}-e → ${n}-d → ${n}-c → ${n}-b → ${n}-a`);
    const chain = await ask('ssh-config', `Host ${n}-t\n  ProxyJump 1.1.1.1,2.2.2.2,3.3.3.3,4.4.4.4`);
    expect(chain.body.faults).toMatchObject([{ entry: `${n}-t`, line: 1, reason: { code: 'jump_path' } }]);
    expect(await server(`${n}-a`)).toBeUndefined();
  });

  it('count together with registered servers behind the servers of the text', async () => {
    const n = await fresh();
    const frontServerId = await register({ name: `${n}-front`, hostname: '10.9.2.1' });
    await register({ name: `${n}-behind`, hostname: '10.9.2.2', jumpServerId: frontServerId.id });
    const text = `Host ${n}-front\n  HostName 10.9.2.1\n  ProxyJump ${n}-three\nHost ${n}-three\n  ProxyJump ${n}-two\nHost ${n}-two\n  ProxyJump ${n}-one\nHost ${n}-one`;
    const { body } = await ask('ssh-config', text);
    expect(body.faults[0]?.reason.text).toContain(`${n}-behind → ${n}-front → ${n}-three → ${n}-two → ${n}-one`);
    const back = await ask('ssh-config', `Host ${n}-front\n  HostName 10.9.2.1\n  ProxyJump ${n}-behind`);
    expect(faultsOf(back)).toEqual([`1 ${n}-front jump_path`]);
  });
});

describe('jump hosts of an Ansible inventory', () => {
  it('also match registered servers by address, port and login', async () => {
    const n = await fresh();
    await register({ name: `${n}-edge`, hostname: '10.9.3.1', port: 2200, username: 'hop' });
    await register({ name: `${n}-twin-1`, hostname: '10.9.3.2', username: 'one' });
    await register({ name: `${n}-twin-2`, hostname: '10.9.3.2', username: 'two' });
    const text = `${n}-j ansible_ssh_common_args='-o ProxyJump=hop@10.9.3.1:2200 -C'
${n}-k ansible_ssh_extra_args='-J 10.9.3.2'
${n}-l ansible_ssh_common_args='-o ProxyCommand="ssh -W %h:%p -q two@10.9.3.2"'
${n}-m ansible_ssh_common_args='-J root@${n}-edge'
${n}-n ansible_ssh_common_args='-o ProxyJump="${n}-edge"'
`;
    const { body } = await ask('ansible-ini', text, { skipFaulty: true });
    expect(body.status).toBe('succeeded');
    expect(await jumpPathOf(`${n}-j`)).toEqual([`${n}-edge`]);
    expect(await jumpPathOf(`${n}-l`)).toEqual([`${n}-twin-2`]);
    expect(await jumpPathOf(`${n}-n`)).toEqual([`${n}-edge`]);
    expect(await server(`${n}-k`)).toBeUndefined();
    const reasons = body.notCarried.filter(({ what }) => what === 'server').map(({ reason }) => reason.text);
    expect(reasons).toEqual([
      'Several servers have the address of the jump host "10.9.3.2". Name one of them.',
      `"${n}-edge" has another port or login than the text names for this jump host.`,
    ]);
  });
});

describe('a list of servers', () => {
  it('names jump servers by external id or name, and all keys of a host', async () => {
    const n = await fresh();
    const [one, authority] = [await keyLine(), await keyLine()];
    const list = [
      {
        externalId: `${n}-1`,
        name: `${n}-leaf`,
        jumpServer: `${n}-2`,
        hostKeys: [{ publicKey: one }, { publicKey: authority, certAuthority: true }],
      },
      { externalId: `${n}-2`, name: `${n}-mid`, jumpServer: `${n}-root` },
      { externalId: `${n}-3`, name: `${n}-root`, jumpServer: null },
    ];
    const { body } = await ask('json', list, { source: 'cmdb' });
    expect(body).toMatchObject({ status: 'succeeded', counts: { create: 3 }, notCarried: [] });
    expect(await jumpPathOf(`${n}-leaf`)).toEqual([`${n}-mid`, `${n}-root`]);
    expect((await server(`${n}-leaf`))?.hostKeys.map(({ certAuthority }) => certAuthority)).toEqual([false, true]);
    const again = await ask(
      'json',
      list.map(({ hostKeys, ...each }) => ({ ...each, ...(hostKeys ? { hostKeys: hostKeys.toReversed() } : {}) })),
      { source: 'cmdb' },
    );
    expect(again.body.counts).toMatchObject({ leave: 3, change: 0 });
    const direct = await ask('json', [{ ...list[0], jumpServer: null, hostKeys: undefined }], { source: 'cmdb' });
    expect(direct.body.counts).toMatchObject({ change: 1 });
    // A server behind another jump server may be another machine, so its host keys are dropped.
    expect(await server(`${n}-leaf`)).toMatchObject({ jumpServerId: null, hostKeys: [], state: 'unchecked' });
  });

  it('is rejected with keys or jump servers that a registration does not allow', async () => {
    const n = await fresh();
    const line = await keyLine();
    const faults = async (fields: object) => {
      const { status, body } = await ask('json', [{ name: `${n}-x`, ...fields }]);
      return [status, body.errors?.map(({ message }) => message).join(' ')];
    };
    const key = { publicKey: line };
    for (const [fields, words] of [
      [{ hostKey: key, hostKeys: [key] }, '"hostKey" and "hostKeys" exclude each other'],
      [{ jumpServer: 'a', jumps: [{ host: 'a' }] }, '"jumpServer" and "jumps" exclude each other'],
      [{ hostKeys: [key, key] }, 'This key is listed twice.'],
      [{ hostKeys: [key, { publicKey: await keyLine() }] }, 'A host can have only one key of each type'],
      [{ hostKeys: [{ publicKey: 'ssh-rsa nothing' }] }, 'must be a host public key line'],
      [{ hostKeys: Array.from({ length: 9 }, () => key) }, 'can have at most 8 keys'],
      [{ hostKeys: [{ ...key, more: 1 }] }, 'The field "more" is not supported.'],
      [{ hostKeys: {} }, '"hostKeys" must be a list of host keys'],
      [{ jumpServer: '' }, '"jumpServer" must have 1 to 200 characters'],
      [{ jumpServer: 5 }, '"jumpServer" must be a text'],
    ] as const)
      expect(await faults(fields)).toEqual([400, expect.stringContaining(words)]);
  });
});
