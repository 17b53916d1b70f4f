import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { AUDIENCE, type OidcIssuer, startIssuer, SUBJECT } from '../support/oidc-issuer.js';
import { type RunLab, startRunLab } from '../support/run-lab.js';

const PERMIT = 'permit-of-the-job';

let lab: RunLab;
let issuer: OidcIssuer;
let cli: CommandLine;
let accountId: string;

beforeAll(async () => {
  [lab, issuer] = await Promise.all([
    startRunLab({ settings: { RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8' } }),
    startIssuer(),
  ]);
  // The job knows the address of the service, but no secret.
  cli = await commandLine({ RUNWARD_URL: lab.runward.url });
  const account = { name: 'deployer', role: 'operator' };
  accountId = await made('/api/service-accounts', account);
  await made('/api/oidc-trust-rules', {
    ...{ name: 'main branch', issuer: issuer.url, audience: AUDIENCE, subject: SUBJECT, userId: accountId },
    ...{ access: 'run', environmentIds: [lab.environmentId] },
  });
  const steps = [{ key: 'one', command: `echo "deployed by a job"; echo ran >> ${lab.evidence}/ran` }];
  await made('/api/plans', { name: 'deploy', environmentId: lab.environmentId, steps });
  await lab.runward.worker();
});
afterAll(async () => {
  await cli?.close();
  await lab?.close();
  await issuer.close();
});

async function made(path: string, body: object): Promise<string> {
  const answer = await lab.api.post<{ id: string }>(path, body);
  expect([path, answer.status, answer.text]).toEqual([path, 201, answer.text]);
  return answer.body.id;
}
const start = async (env: Record<string, string>) => {
  const { code, out, err } = await cli.run(['run', 'start', 'deploy', '--wait', '--json', '--retry-for', '0s'], {
    env,
  });
  const problem = (err ? JSON.parse(err) : null) as { code: string; detail: string } | null;
  return { code, run: (out ? JSON.parse(out) : null) as ExecutionView | null, problem, all: out + err };
};
const runs = async () => (await lab.api.get<{ items: object[] }>('/api/executions')).body.items.length;

describe('a job with an identity token and without secrets', () => {
  it('runs a plan on a host as the service account of the trust rule', async () => {
    const token = await issuer.token();
    const { code, run, problem, all } = await start({ RUNWARD_OIDC_TOKEN: token });
    expect([code, problem]).toEqual([0, null]);
    expect(run).toMatchObject({ status: 'SUCCEEDED', startedBy: { id: accountId, name: 'deployer' }, hostCount: 1 });
    expect(await lab.left('ran')).toBe('ran\n');
    expect(all).not.toContain(token);
  });

  it("requests a token for its audience from GitHub's endpoint, and follows the output", async () => {
    const endpoint = createServer((request, response) => {
      if (request.headers.authorization !== `Bearer ${PERMIT}`) return void response.writeHead(403).end('{}');
      const aud = new URL(request.url ?? '', issuer.url).searchParams.get('audience') ?? '';
      void issuer.token({ aud }).then((value) => response.end(JSON.stringify({ value })));
    }).listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const env = {
      RUNWARD_OIDC_AUDIENCE: AUDIENCE,
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: PERMIT,
    };
    const { code, out } = await cli.run(['run', 'start', 'deploy', '--follow'], { env });
    expect([code, out]).toEqual([0, expect.stringContaining('web-1 | deployed by a job')]);
    const before = await runs();
    const elsewhere = await start({ ...env, RUNWARD_OIDC_AUDIENCE: 'https://elsewhere.example.com' });
    expect([elsewhere.code, elsewhere.problem?.code, await runs()]).toEqual([2, 'oidc_audience_wrong', before]);
    endpoint.closeAllConnections();
    endpoint.close();
  });

  it('exits with 2 for another audience or branch, and starts nothing', async () => {
    const before = await runs();
    const other = { aud: 'https://elsewhere.example.com' };
    for (const [claims, code] of [
      [other, 'oidc_audience_wrong'],
      [{ sub: 'repo:acme/shop:ref:refs/heads/other' }, 'oidc_subject_unknown'],
    ] as const) {
      const token = await issuer.token(claims);
      const refused = await start({ RUNWARD_OIDC_TOKEN: token });
      expect([refused.code, refused.run, refused.problem?.code]).toEqual([2, null, code]);
      expect(refused.all).not.toContain(token);
    }
    const said = await cli.run(['whoami'], { env: { RUNWARD_OIDC_TOKEN: await issuer.token(other) } });
    expect([said.code, said.err]).toEqual([2, expect.stringContaining('audience')]);
    expect(await runs()).toBe(before);
  });

  it('is limited to its rule: another command exits with 6', async () => {
    const env = { RUNWARD_OIDC_TOKEN: await issuer.token() };
    const input = 'name: theirs\nsteps:\n  - key: a\n    command: "true"\n';
    const refused = await cli.run(['plan', 'import', '-', '--json'], { env, input });
    expect([refused.code, (JSON.parse(refused.err) as { code: string }).code]).toEqual([6, 'insufficient_scope']);
  });
});
