import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApprovalLab, startApprovalLab } from '../../../../test/support/approval-lab.js';
import { type Answer } from '../../../../test/support/api-client.js';
import { made } from '../../../../test/support/environment-scene.js';
import type { TestMember } from '../../../../test/support/installation.js';
import { sshAuthority } from '../../../../test/support/ssh-authority.js';
import type { ServerView } from '../../../inventory/servers.view.js';
import type { ExecutionView } from '../../contract/execution.view.js';
import type { ReviewView } from '../../contract/review.view.js';
import type { ConnectionKind } from './author-kinds.js';

let lab: ApprovalLab;
let author: TestMember;
let planId: string;
let numbered = 0;

beforeAll(async () => {
  lab = await startApprovalLab({ hosts: 3, spare: 1 });
  await lab.runward.worker();
  author = await lab.runward.member(lab.admin, 'operator');
  await lab.grant(author, 'approve');
  planId = await lab.plan(['true'], { targets: 'role' });
  await approveAndRun(await waiting());
}, 60_000);
afterAll(() => lab.close());

const serverPath = (index: number) => `/api/inventory/servers/${lab.servers[index]?.id}`;
const done = async (answer: Promise<Answer>): Promise<void> => {
  const { status, text } = await answer;
  expect([text, status < 300]).toEqual([expect.any(String), true]);
};
async function approveAndRun({ id }: ExecutionView): Promise<void> {
  expect((await lab.approve(id)).status).toBe(200);
  expect((await lab.ended(id)).status).toBe('SUCCEEDED');
}
const waiting = (targets = 'number=1') => lab.waiting(planId, lab.operator.api, { targets });
const pin = (index = 0) => lab.hosts.hostKey(`127.0.1.${index + 1}`);
const importedKey = (by: TestMember) => {
  numbered += 1;
  const { privateKey } = lab.hosts.key;
  return made(by.api.post('/api/ssh-keys', { name: `copy ${numbered}`, privateKey }));
};
const pinnedServer = (index: number, address = index) =>
  done(lab.api.put(`${serverPath(index)}/host-keys`, { hostKeys: [pin(address)] }));
/** Changes the jump server of web-1 and pins its keys again, because the change removes them. */
async function setJumpServer(by: TestMember, jumpServerId: string | null): Promise<void> {
  await done(by.api.patch(serverPath(0), { jumpServerId }));
  await pinnedServer(0);
}
const signInWith = (sshKeyId: string) => done(lab.api.patch(serverPath(0), { sshKeyId }));

/** Changes of the connection to web-1, by kind. The type requires at least one for each kind. */
const CASES: Record<ConnectionKind, (readonly [string, () => Promise<void>, RegExp])[]> = {
  host_key: [
    [
      'adds a certificate authority',
      () => {
        const authority = { publicKey: sshAuthority('ed25519').publicKey, certAuthority: true };
        return done(author.api.put(`${serverPath(0)}/host-keys`, { hostKeys: [pin(), authority] }));
      },
      /^You saved host keys or certificate authorities of the server "web-1"/,
    ],
    [
      'accepts the host key that a check saw',
      async () => {
        await done(lab.api.put(`${serverPath(0)}/host-keys`, { hostKeys: [{ publicKey: pin(1).publicKey }] }));
        await done(lab.api.post(`${serverPath(0)}/check`));
        const { seenHostKey } = (await lab.api.get<ServerView>(serverPath(0))).body;
        await done(author.api.put(`${serverPath(0)}/host-key`, { fingerprint: seenHostKey?.fingerprint }));
      },
      /^You saved host keys or certificate authorities of the server "web-1"/,
    ],
  ],
  jump_server: [
    [
      'puts a jump server in front of the host',
      () => setJumpServer(author, lab.servers[1]?.id ?? null),
      /^You saved .* of the server "web-1"/,
    ],
    ['takes it away', () => setJumpServer(author, null), /^You saved .* of the server "web-1"/],
  ],
  ssh_key: [
    [
      'imported the key that the server signs in with since',
      async () => signInWith(await importedKey(author)),
      /^You saved the SSH key "copy \d+" or its certificate/,
    ],
    [
      'puts a certificate on the key',
      async () => {
        const { sshKeyId } = (await lab.api.get<ServerView>(serverPath(0))).body;
        const { publicKey } = (await lab.api.get<{ publicKey: string }>(`/api/ssh-keys/${sshKeyId}`)).body;
        const certificate = sshAuthority('ed25519').certify(publicKey, { principals: [lab.hosts.sshd.user] });
        await done(author.api.put(`/api/ssh-keys/${sshKeyId}/certificate`, { certificate }));
      },
      /^You saved the SSH key "copy \d+" or its certificate/,
    ],
  ],
};

async function expectOwnChange(run: ExecutionView, kind: string, saved: RegExp): Promise<void> {
  const { status, body } = await lab.approve(run.id, author.api);
  expect([status, body.code, body.detail]).toEqual([403, 'self_approval', expect.stringMatching(saved)]);
  const { body: review } = await lab.approver.api.get<ReviewView>(`/api/executions/${run.id}/review`);
  const kinds = review.authors.filter((each) => each.user?.id === author.userId).map((each) => each.kind);
  expect(kinds).toContain(kind);
}

describe('a member who changed how a host is reached since it last ran approved', () => {
  const cases = Object.entries(CASES).flatMap(([kind, list]) => list.map((each) => [kind, ...each] as const));

  it.each(cases)('(%s) %s, does not approve the run', async (kind, _, change, saved) => {
    await change();
    const run = await waiting();
    await expectOwnChange(run, kind, saved);
    await approveAndRun(run);
    const again = await waiting();
    expect((await lab.approve(again.id, author.api)).status).toBe(200);
    await lab.ended(again.id);
  });

  it('does not approve the run after changing the address of its jump server', async () => {
    await setJumpServer(lab.admin, lab.servers[1]?.id ?? null);
    await approveAndRun(await waiting());
    await done(author.api.patch(serverPath(1), { hostname: lab.spare[0] }));
    await pinnedServer(1, 3);
    const run = await waiting();
    await expectOwnChange(run, 'server', /^You saved .* of the server "web-2"/);
    await approveAndRun(run);
    await setJumpServer(lab.admin, null);
    await approveAndRun(await waiting());
  });

  it("does not approve the run after rotating to the key of the server's login", async () => {
    const sshKeyId = await importedKey(lab.admin);
    await signInWith(sshKeyId);
    await approveAndRun(await waiting());
    const rotation = await made(author.api.post(`/api/ssh-keys/${sshKeyId}/rotate`, { generate: { type: 'ed25519' } }));
    const { newKey } = (await lab.api.get<{ newKey: { id: string } }>(`/api/key-rotations/${rotation}`)).body;
    await signInWith(newKey.id);
    const run = await waiting();
    await expectOwnChange(run, 'ssh_key', /^You saved the SSH key "copy \d+" or its certificate/);
    await done(lab.api.post(`/api/executions/${run.id}/cancel`));
    await signInWith(lab.keyId);
  });

  it('does not approve the first run on the host, even if the plan ran approved on other hosts since', async () => {
    await done(author.api.patch(serverPath(2), { username: lab.hosts.sshd.user, name: 'db-1' }));
    await approveAndRun(await waiting());
    const first = await waiting('role=db');
    await expectOwnChange(first, 'server', /^You saved the server "db-1"/);
    await approveAndRun(first);
    // The approved run of the host counts, even if it was a run of another plan.
    const other = await lab.plan(['echo other'], { targets: 'role=db' });
    const second = await lab.waiting(other);
    expect((await lab.approve(second.id, author.api)).status).toBe(200);
    await lab.ended(second.id);
  });
});
