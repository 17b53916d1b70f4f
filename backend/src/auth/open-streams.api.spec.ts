import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../test/support/api-client.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../test/support/installation.js';

let runward: Installation;
let admin: TestMember;
let streamPath: string;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant();
  streamPath = `/api/executions/${await waitingRun()}/stream`;
});
afterAll(() => runward.close());

/** Creates a run that stays PENDING, because no worker is running. @returns its id */
async function waitingRun(): Promise<string> {
  const made = async <T extends { id: string }>(path: string, body: object): Promise<T> => {
    const answer = await admin.api.post<T>(path, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };
  const environment = await made('/api/environments', { name: 'staging' });
  const key = await made<{ id: string; publicKey: string }>('/api/ssh-keys', {
    name: 'deploy',
    generate: { type: 'ed25519' },
  });
  await made('/api/inventory/servers', {
    name: 'web-1',
    hostname: '127.0.0.1',
    username: 'deploy',
    sshKeyId: key.id,
    environmentId: environment.id,
    hostKey: { publicKey: key.publicKey },
  });
  const plan = await made('/api/plans', {
    name: 'Deploy',
    environmentId: environment.id,
    steps: [{ key: 'one', command: 'true' }],
  });
  const run = await made('/api/executions', { planId: plan.id, execution_mode: 'auto' });
  return run.id;
}

interface WatchedStream {
  ended: Promise<void>;
  leave(): void;
}

async function watch(headers: Record<string, string>): Promise<WatchedStream> {
  const controller = new AbortController();
  const answer = await fetch(runward.url + streamPath, { headers, signal: controller.signal });
  expect(answer.status).toBe(200);
  const ended = answer.text().then(
    () => undefined,
    () => undefined,
  );
  return { ended, leave: () => controller.abort() };
}

const bearer = (member: TestMember) => ({ authorization: `Bearer ${member.token}` });

async function sessionOf(member: TestMember): Promise<{ headers: { cookie: string }; id: string }> {
  const login = await runward.anonymous.post('/api/auth/login', { email: member.email, password: PASSWORD });
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const list = await apiClient(runward.url, { cookie }).get<{ items: { id: string; current: boolean }[] }>(
    '/api/auth/sessions',
  );
  return { headers: { cookie }, id: list.body.items.find((session) => session.current)?.id ?? '' };
}

describe('an open stream', () => {
  it.each([
    [
      'its token is revoked',
      async (member: TestMember) => {
        const list = await member.api.get<{ items: { id: string }[] }>('/api/tokens');
        const cut = () => admin.api.delete(`/api/tokens/${list.body.items[0]?.id}`);
        return { headers: bearer(member), cut };
      },
    ],
    [
      'the token that its token was made with is revoked',
      async (member: TestMember) => {
        const list = await member.api.get<{ items: { id: string }[] }>('/api/tokens');
        const child = await member.api.post<{ token: string }>('/api/tokens', { name: 'child' });
        const cut = () => admin.api.delete(`/api/tokens/${list.body.items[0]?.id}`);
        return { headers: { authorization: `Bearer ${child.body.token}` }, cut };
      },
    ],
    [
      'its session is revoked',
      async (member: TestMember) => {
        const { headers, id } = await sessionOf(member);
        return { headers, cut: () => admin.api.delete(`/api/members/${member.userId}/sessions/${id}`) };
      },
    ],
    [
      'its member is disabled',
      async (member: TestMember) => ({
        headers: bearer(member),
        cut: () => admin.api.patch(`/api/members/${member.userId}`, { disabled: true }),
      }),
    ],
    [
      'its member is removed',
      async (member: TestMember) => ({
        headers: bearer(member),
        cut: () => admin.api.delete(`/api/members/${member.userId}`),
      }),
    ],
  ])('ends when %s, and other streams stay open', async (_, prepare) => {
    const { headers, cut } = await prepare(await runward.member(admin, 'viewer'));
    const [endedStream, other] = [await watch(headers), await watch(bearer(admin))];
    let otherHasEnded = false;
    void other.ended.then(() => {
      otherHasEnded = true;
    });
    const answer = await cut();
    expect(answer.status).toBeLessThan(300);
    await endedStream.ended;
    expect(otherHasEnded).toBe(false);
    other.leave();
  });
});
