import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnswerHandler, type FakeService, fakeService, json, problem } from './client/fake-service.ts';
import { listCommandNodes } from './commands/completion/tree.ts';
import { createProgram } from './program.ts';
import { runProgram } from './run-program.ts';
import { fakeSurroundings } from './terminal/fake-surroundings.ts';

const TOKEN = `runward_${'c'.repeat(12)}_${'Canary'.repeat(7)}X_${'n'.repeat(6)}`;
const ID = '01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79';
const DIGEST = 'a'.repeat(64);
const UPSERT_ARGUMENTS = '--source s --external-id 1 --name n --hostname h --username u --env e --key k';

const CALLS: Record<string, string> = {
  login: 'URL',
  logout: '--revoke',
  whoami: '',
  'plan list': '--search x',
  'plan show': 'deploy',
  'plan export': 'deploy',
  'plan import': '-',
  'run start': 'deploy --wait',
  'run list': '',
  'run show': ID,
  'run follow': ID,
  'run output': ID,
  'run cancel': ID,
  'run approve': `${ID} --digest ${DIGEST}`,
  'run reject': `${ID} --comment no`,
  'run withdraw': ID,
  'run decide': `${ID} proceed`,
  'run pause': ID,
  'run mode': `${ID} auto`,
  'run resolve': `${ID} web-1 check`,
  'run pin': ID,
  'run rerun': `${ID} --wait`,
  'server list': '',
  'server upsert': UPSERT_ARGUMENTS,
  'server import': '- --format json --env e',
  'server check': 'web-1',
  'source sync': 'plans',
  api: 'GET /api/plans',
};

/** Responses of a service to every request, and the exit code and problem with which each command then ends. */
const ANSWERS: Record<string, { answer: AnswerHandler; code: number; problem: string }> = {
  'refused credentials': {
    answer: (_, response) => json(response, 401, problem(401, 'unauthorized')),
    code: 2,
    problem: 'unauthorized',
  },
  'a role too low': {
    answer: (_, response) => json(response, 403, problem(403, 'insufficient_role')),
    code: 6,
    problem: 'insufficient_role',
  },
  'an error of its own': {
    answer: (_, response) => json(response, 500, problem(500, 'internal_error')),
    code: 8,
    problem: 'internal_error',
  },
  'no database': {
    answer: (_, response) => json(response, 503, problem(503, 'database_unavailable')),
    code: 8,
    problem: 'database_unavailable',
  },
  'the page of a proxy': {
    answer: (_, response) =>
      void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>'),
    ...{ code: 8, problem: 'not_runward' },
  },
  'the dashboard instead of the API': {
    answer: (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
    ...{ code: 8, problem: 'not_runward' },
  },
  'another address': {
    answer: (_, response) => void response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    ...{ code: 8, problem: 'service_unreachable' },
  },
  'a cut connection': { answer: (_, response) => void response.destroy(), code: 8, problem: 'service_unreachable' },
  'the token that it was sent': {
    answer: ({ headers, body }, response) =>
      json(response, 400, problem(400, 'invalid_request', `${headers.authorization} ${body} ${TOKEN}`)),
    ...{ code: 2, problem: 'invalid_request' },
  },
};

const leaves = listCommandNodes(
  createProgram(
    { surroundings: fakeSurroundings(), exit: () => undefined, output: () => undefined },
    { out: () => undefined, err: () => undefined },
  ),
)
  .filter(({ commands, path }) => commands.length === 0 && path !== 'completion')
  .map(({ path }) => path);

const call = async (path: string, url: string, more: string[] = []) => {
  const args = `${path} ${CALLS[path]?.replace('URL', url)}`.split(' ').filter(Boolean);
  const env = { RUNWARD_URL: url, RUNWARD_TOKEN: TOKEN, XDG_CONFIG_HOME: '/nonexistent' };
  const surroundings = fakeSurroundings({ env, input: path === 'login' ? TOKEN : 'name: x' });
  const code = await runProgram([...args, '--retry-for', '0s', ...more], surroundings);
  return { code, out: surroundings.out(), err: surroundings.err() };
};

it('every command is tested', () => {
  expect(leaves.toSorted()).toEqual(Object.keys(CALLS).toSorted());
});

// Commands that send a request. `logout` sends none here, because nothing is stored.
const asking = leaves.filter((path) => path !== 'logout');

describe.each(Object.entries(ANSWERS))('when the service answers with %s', (_, { answer, code, problem: expected }) => {
  let service: FakeService;
  beforeAll(async () => void (service = await fakeService(answer)));
  afterAll(() => service.close());

  it('every command exits with the documented code, as text and as a problem, without token or stack', async () => {
    for (const path of asking) {
      const words = await call(path, service.url);
      const outcome = await call(path, service.url, ['--json']);
      expect([path, words.code, outcome.code]).toEqual([path, code, code]);
      const lines = outcome.err.trim().split('\n');
      expect([path, lines.length, (JSON.parse(lines[0] ?? '') as { code: string }).code]).toEqual([path, 1, expected]);
      expect([path, words.out, outcome.out]).toEqual([path, '', '']);
      expect(words.err).toMatch(/^✗ \S/m);
      for (const text of [words.err, outcome.err]) {
        expect(text).not.toContain('Canary');
        expect(text).not.toMatch(/\n\s+at |node:internal|\.ts:\d/);
      }
    }
  });
});

describe('without a service', () => {
  it('every command exits with 8 and a message when nothing listens at the address', async () => {
    const service = await fakeService(() => undefined);
    await service.close();
    for (const path of asking) {
      const { code, err } = await call(path, service.url);
      expect([path, code, err]).toEqual([path, 8, expect.stringContaining('nothing listens there')]);
    }
  });

  it('every command exits with 2 for an unknown option and does not print its value', async () => {
    for (const path of leaves) {
      for (const odd of [`--token=${TOKEN}`, '--api-token', `--password=${TOKEN}`]) {
        const { code, err } = await call(path, 'http://127.0.0.1:9', [odd, '--json']);
        expect([path, code, JSON.parse(err)]).toMatchObject([path, 2, { code: 'usage' }]);
        expect(err).not.toContain('Canary');
      }
    }
  });

  it('every command exits with 2 for an invalid address or token and prints neither', async () => {
    for (const path of asking) {
      const bad = { RUNWARD_URL: 'https://user:Canary@x', RUNWARD_TOKEN: TOKEN };
      const other = { RUNWARD_URL: 'http://127.0.0.1:9', RUNWARD_TOKEN: `${TOKEN}Canary` };
      const settings: Record<string, string>[] = [
        bad,
        other,
        { RUNWARD_URL: 'ftp://x' },
        { RUNWARD_URL: 'Canary' },
        {},
      ];
      for (const env of settings) {
        const args = `${path} ${CALLS[path]?.replace('URL', '')}`.split(' ').filter(Boolean);
        const surroundings = fakeSurroundings({ env: { XDG_CONFIG_HOME: '/nonexistent', ...env }, input: 'Canary' });
        const code = await runProgram([...args, '--retry-for', '0s'], surroundings);
        expect([path, env, code]).toEqual([path, env, 2]);
        expect(surroundings.err() + surroundings.out()).not.toContain('Canary');
      }
    }
  });

  it('every command shows help and exits with 0; a group without a command exits with 2', async () => {
    for (const path of leaves) {
      const surroundings = fakeSurroundings();
      expect([path, await runProgram([...path.split(' '), '--help'], surroundings)]).toEqual([path, 0]);
      expect(surroundings.out()).toContain(`Usage: runward ${path}`);
    }
    for (const args of [[], ['run'], ['plan'], ['nonsense'], ['run', 'strat']])
      expect(await runProgram(args, fakeSurroundings())).toBe(2);
    const surroundings = fakeSurroundings();
    await runProgram(['run', 'strat'], surroundings);
    expect(surroundings.err()).toContain('Did you mean start?');
  });
});

it('reports truncated output as incomplete', async () => {
  const service = await fakeService((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' });
    response.write('web-1 one 1: first\n', () => setTimeout(() => response.destroy(), 20));
  });
  const { code, out, err } = await call('run output', service.url);
  await service.close();
  expect([code, out, err]).toEqual([
    8,
    expect.stringContaining('first'),
    expect.stringContaining('before the output was complete'),
  ]);
});
