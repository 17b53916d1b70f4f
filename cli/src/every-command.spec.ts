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
  'run compare': ID,
  'server list': '',
  'server upsert': UPSERT_ARGUMENTS,
  'server import': '- --format json --env e',
  'server check': 'web-1',
  'source sync': 'plans',
  'environment list': '',
  'environment show': 'prod',
  'key list': '',
  'key show': 'deploy',
  'schedule list': '',
  'schedule show': 'nightly',
  'token list': '',
  'token show': 'ci',
  'audit list': '',
  'audit show': ID,
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
  .filter(({ commands, path }) => commands.length === 0 && !['completion', 'help'].includes(path))
  .map(({ path }) => path);

const call = async (path: string, url: string, more: string[] = []) => {
  const args = `${path} ${CALLS[path]?.replace('URL', url)}`.split(' ').filter(Boolean);
  const env = { RUNWARD_URL: url, RUNWARD_TOKEN: TOKEN, XDG_CONFIG_HOME: '/dev/null' };
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

describe('when an older service answers without newer fields', () => {
  const reference = { id: ID, name: 'x' };
  const run = {
    ...{ id: ID, status: 'SUCCEEDED', finished: true, successful: true, planName: 'deploy', environmentName: 'prod' },
    ...{ execution_mode: 'auto', webUrl: 'https://runward.test/executions/1', startedBy: reference, hostCount: 1 },
    ...{
      createdAt: '2026-11-20T08:00:00Z',
      finishedAt: null,
      labels: {},
      pause: null,
      steps: [],
      hosts: [],
      hostsNextCursor: null,
    },
  };

  it('commands of runs work, with the outcome of the run as their exit code', async () => {
    const service = await fakeService(({ path }, response) => {
      response.setHeader('Runward-Version', '0.0.1');
      json(
        response,
        path === '/api/executions' ? 201 : 200,
        path.includes('/plans') ? { items: [{ ...reference, name: 'deploy' }] } : run,
      );
    });
    for (const [path, code] of [
      ['run show', 0],
      ['run start', 0],
      ['run resolve', 6],
    ] as const) {
      const outcome = await call(path, service.url);
      expect({ path, ...outcome }).toMatchObject({ path, code });
    }
    await service.close();
  });

  it('no command ends with an unexpected error', async () => {
    const service = await fakeService((_, response) => {
      response.setHeader('Runward-Version', '0.0.1');
      // Ended, so that no command waits.
      json(response, 200, { finished: true });
    });
    const odd: string[] = [];
    for (const path of asking) {
      const { code, err } = await call(path, service.url);
      if (/Unexpected error|\n\s+at |\.ts:\d/.test(err)) odd.push(`${path} ${code} ${err}`);
    }
    expect(odd).toEqual([]);
    await service.close();
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

describe('format of results', () => {
  const item = { id: ID, name: 'prod', access: 'open', protected: true, requiredApprovals: 2, allowedModes: [] };
  let service: FakeService;
  beforeAll(async () => {
    service = await fakeService(({ path }, response) => {
      response.setHeader('Runward-Version', '9.4.0');
      json(response, 200, path.includes('?') ? { items: [item], nextCursor: null } : item);
    });
  });
  afterAll(() => service.close());

  it('is a table, a wide table, names, JSON, YAML or the results of a jq expression', async () => {
    const list = async (...more: string[]) => (await call('environment list', service.url, more)).out;
    expect(await list()).toMatch(/^NAME {2}PROTECTED {2}APPROVALS .*\nprod {2}yes {8}2 /);
    expect(await list('-o', 'wide')).toContain(ID);
    expect(await list('-o', 'name')).toBe('prod\n');
    expect(JSON.parse(await list('-o', 'json'))).toEqual({ items: [item], nextCursor: null });
    expect(await list('-o', 'yaml')).toContain(`items:\n  - id: "${ID}"\n    name: prod\n`);
    expect(await list('--jq', '.items[] | .name, .requiredApprovals')).toBe('prod\n2\n');
    expect((await call('environment show', service.url, ['-o', 'yaml'])).out).toContain('allowedModes: []\n');
  });

  it.each([
    [['--jq', '.items['], '--jq is not a valid expression: syntax error'],
    [['--jq', '.items.name'], '--jq failed: Cannot index array with string'],
    [['--jq', '.', '-o', 'yaml'], 'cannot be combined with -o yaml'],
    [['-o', 'xml'], 'Allowed choices are table, wide, name, json, yaml'],
  ])('refuses %j and says why', async (more, text) => {
    const { code, out, err } = await call('environment list', service.url, more);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(text)]);
  });

  it('has no warning about the version of the service in it', async () => {
    const { err, out } = await call('environment list', service.url);
    expect(
      err.match(/the service has version 9\.4\.0\. Update: curl -fsSO http\S+\/api\/cli\/runward\.mjs\n/g),
    ).toHaveLength(1);
    expect(out).not.toContain('9.4.0');
    expect(await call('environment list', service.url, ['--json'])).toMatchObject({ code: 0, err: '' });
  });
});

it('prints 100,000 items of a list with the memory of one page', async () => {
  const pages = 500;
  const service = await fakeService(({ path }, response) => {
    const page = Number(new URL(path, 'http://x').searchParams.get('cursor') ?? 0);
    const items = Array.from({ length: 200 }, (_, index) => ({ id: page * 200 + index, note: 'x'.repeat(200) }));
    json(response, 200, { items, nextCursor: page + 1 < pages ? String(page + 1) : null });
  });
  const env = { RUNWARD_URL: service.url, RUNWARD_TOKEN: TOKEN, XDG_CONFIG_HOME: '/nonexistent' };
  const surroundings = fakeSurroundings({ env });
  let [lines, waiting, most] = [0, 0, 0];
  const stdout = {
    ...surroundings.stdout,
    write(text: string) {
      lines += text.split('\n').length - 1;
      waiting += text.length;
      most = Math.max(most, waiting);
    },
    flush: () => Promise.resolve(void (waiting = 0)),
  };
  const code = await runProgram(['api', 'GET', '/plans', '--paginate'], { ...surroundings, stdout });
  await service.close();
  expect([code, lines]).toEqual([0, 100_000]);
  expect(most).toBeLessThan(100_000);
});

describe('help', () => {
  it.each([
    ['help', 'run', 'start'],
    ['run', 'help', 'start'],
    ['run', 'start', '--help'],
  ])('%s %s %s is the help of run start', async (...args) => {
    const surroundings = fakeSurroundings();
    expect(await runProgram(args, surroundings)).toBe(0);
    expect(surroundings.out()).toContain('Usage: runward run start');
  });

  it('suggests only commands with a similar name', async () => {
    const advice = async (...args: string[]) => {
      const surroundings = fakeSurroundings();
      expect(await runProgram(['help', ...args], surroundings)).toBe(2);
      return surroundings.err();
    };
    expect(await advice('run', 'strat')).toContain('Did you mean start?');
    expect(await advice('xyz')).not.toContain('Did you mean');
  });
});

describe('run approve without a digest', () => {
  const run = {
    id: ID,
    digest: DIGEST,
    planName: 'deploy',
    planRevision: 3,
    environmentName: 'prod',
    status: 'PENDING',
    webUrl: 'http://x',
  };
  const review = {
    ...{ digest: DIGEST, hosts: [{ name: 'web-1', address: '10.0.0.1' }], hostCount: 1, variables: { RELEASE: '2' } },
    ...{ secretNames: ['PASSWORD'], comparedTo: { executionId: ID }, moreDifferences: 0, authors: [] },
    steps: [{ key: 'go', type: 'command', text: 'systemctl restart app', hostCount: 1, leftOut: false, when: null }],
    differences: [{ kind: 'variable', name: 'RELEASE', change: 'changed', before: '1', after: '2' }],
  };
  let service: FakeService;
  beforeAll(async () => {
    service = await fakeService(({ path }, response) =>
      json(
        response,
        200,
        path.endsWith('/review')
          ? review
          : { ...run, startedBy: { name: 'Ann' }, createdAt: '2026-11-01T00:00:00Z', execution_mode: 'auto' },
      ),
    );
  });
  afterAll(() => service.close());
  const approve = async (terminal: boolean, typed: string[], ...more: string[]) => {
    const env = { RUNWARD_URL: service.url, RUNWARD_TOKEN: TOKEN, XDG_CONFIG_HOME: '/nonexistent' };
    const surroundings = fakeSurroundings({ env: { ...env, NO_COLOR: '1' }, terminal, typed });
    service.received.length = 0;
    const code = await runProgram(['run', 'approve', ID, ...more], surroundings);
    const sent = service.received.filter(({ method }) => method === 'POST').map(({ body }) => body);
    return { code, out: surroundings.out(), err: surroundings.err(), sent };
  };

  it('shows what would run, where, and the differences, and asks', async () => {
    const yes = await approve(true, ['y']);
    expect([yes.code, yes.sent]).toEqual([0, [JSON.stringify({ digest: DIGEST })]]);
    for (const text of ['web-1', '10.0.0.1', 'systemctl restart app', '- 1', '+ 2', 'PASSWORD', 'revision 3'])
      expect(yes.out).toContain(text);
    for (const answer of [['n'], [''], []]) {
      const no = await approve(true, answer);
      expect([no.code, no.sent, no.err]).toEqual([1, [], expect.stringContaining('Not approved.')]);
    }
  });

  it('needs the digest or --yes without a terminal', async () => {
    expect(await approve(false, [])).toMatchObject({ code: 2, sent: [], err: expect.stringContaining('--digest') });
    expect(await approve(false, [], '--yes')).toMatchObject({ code: 0, sent: [JSON.stringify({ digest: DIGEST })] });
  });
});

it('shows how a run differs from an earlier one', async () => {
  const other = '01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79';
  const side = { planName: 'deploy', planRevision: 3, environmentName: 'prod', hostCount: 2, durationMs: 61_000 };
  const result = { status: 'SUCCEEDED', durationMs: 4_000, counts: {} };
  const comparison = {
    run: { ...side, id: ID, status: 'FAILED' },
    comparedTo: { ...side, id: other, status: 'SUCCEEDED', planRevision: 2 },
    differences: [{ kind: 'variable', name: 'RELEASE', change: 'changed', before: '1', after: '2' }],
    ...{ differenceCounts: [], moreDifferences: 7, usualDuration: null },
    steps: [{ key: 'migrate', name: 'Migrate', before: result, after: null }],
  };
  const service = await fakeService((_, response) => json(response, 200, comparison));
  const env = { RUNWARD_URL: service.url, RUNWARD_TOKEN: TOKEN, XDG_CONFIG_HOME: '/nonexistent', NO_COLOR: '1' };
  const surroundings = fakeSurroundings({ env });
  expect(await runProgram(['run', 'compare', ID, other], surroundings)).toBe(0);
  expect(service.received.map(({ path }) => path)).toEqual([`/api/executions/${ID}/comparison?with=${other}`]);
  const out = surroundings.out();
  for (const text of [
    /earlier +\S+ +deploy, revision 2/,
    /- 1\n {2}\+ 2/,
    /and 7 more/,
    /migrate +SUCCEEDED, 4\.0 s +–/,
  ])
    expect(out).toMatch(text);
  await service.close();
});

it('reports truncated output as incomplete', async () => {
  const service = await fakeService((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' });
    response.write('web-1 one 1: first\n', () => setTimeout(() => response.destroy(), 20));
  });
  const { code, out, err } = await call('run output', service.url, ['--raw']);
  await service.close();
  expect([code, out, err]).toEqual([
    8,
    expect.stringContaining('first'),
    expect.stringContaining('before the output was complete'),
  ]);
});
