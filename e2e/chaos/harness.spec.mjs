import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from './client.mjs';
import { buildWithout, CONTROLS } from './controls.mjs';
import { parseEvidence } from './evidence.mjs';
import { PHASES, phaseOfChange, isInPhase } from './phases.mjs';
import { clientsOf, Proxy } from './proxy.mjs';
import { FAULTS, scenarioOf } from './scenario.mjs';

const HOSTS = Array.from({ length: 16 }, (_, index) => `h${index + 1}`);
const options = { hosts: HOSTS };
const hundred = (key, more = {}) =>
  Array.from({ length: 100 }, (_, n) => scenarioOf(`s-${n}`, { ...options, ...more })).flatMap((each) => each[key]);

describe('scenario', () => {
  it('depends only on the seed', () => {
    expect(scenarioOf('a-1', options)).toEqual(scenarioOf('a-1', options));
    expect(scenarioOf('a-1', options)).not.toEqual(scenarioOf('a-2', options));
  });

  it.each(['outside', 'embedded'])(
    'covers every kind of fault (database %s) and every phase within a hundred seeds',
    (database) => {
      const faults = hundred('faults', { database });
      const kinds = Object.keys(FAULTS).filter((kind) => kind !== 'kill-product' || database === 'embedded');
      expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(kinds));
      expect(new Set(faults.map(({ phase }) => phase))).toEqual(new Set([null, ...PHASES]));
    },
  );

  it('stops the embedded database once in each trial', () => {
    const outages = ['restart-database', 'kill-database', 'kill-product'];
    for (let n = 0; n < 100; n += 1) {
      const { faults } = scenarioOf(`s-${n}`, { ...options, database: 'embedded' });
      expect(faults.filter(({ kind }) => outages.includes(kind))).toHaveLength(1);
    }
  });

  it('covers every step type and every user action within a hundred seeds', () => {
    const steps = hundred('plans').flatMap((plan) => plan.steps);
    expect(new Set(steps.map(({ type }) => type))).toEqual(new Set(['command', 'script', 'template', 'gate']));
    const has = (field) => steps.some((step) => step[field] && String(step[field]) !== '');
    const fields = [
      'batch',
      'retries',
      'failsFirst',
      'hangOn',
      'changeOn',
      'onlyIfChanged',
      'outputs',
      'uses',
      'always',
    ];
    expect(fields.filter((field) => !has(field))).toEqual([]);
    const starts = hundred('starts');
    expect(new Set(starts.map(({ approval }) => approval))).toEqual(new Set(['approve', 'reject', 'leave']));
    expect(new Set(starts.flatMap((start) => start.steps.map(({ act }) => act)))).toEqual(
      new Set(['cancel', 'pause', 'mode']),
    );
    expect(starts.some(({ rerun }) => rerun)).toBe(true);
  });

  it('uses strategy free in about a third of the plans, also in wide ones', () => {
    const plans = hundred('plans');
    const free = plans.filter(({ strategy }) => strategy === 'free');
    expect(free.length / plans.length).toBeGreaterThan(0.28);
    expect(free.length / plans.length).toBeLessThan(0.39);
    expect(free.some(({ name, steps }) => name === 'wide' && steps.every(({ batch }) => batch === null))).toBe(true);
  });

  it('starts plans on hosts of their own environment only', () => {
    const { plans, starts, environments } = scenarioOf('c-1', options);
    const environmentOf = (name) => environments[plans.find((plan) => plan.name === name).environment];
    expect(starts.filter(({ plan, hosts }) => hosts.some((host) => !environmentOf(plan).hosts.includes(host)))).toEqual(
      [],
    );
  });

  it('uses only the requested kinds of fault', () => {
    const { faults } = scenarioOf('b-1', { ...options, kinds: ['kill-api'] });
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['kill-api']));
  });
});

describe('phase of a run', () => {
  it.each([
    [{ status: 'PENDING', epoch: 0 }, 'accepted'],
    [{ status: 'RUNNING', epoch: 1, claimed: true }, null],
    [{ status: 'RUNNING', epoch: 2, claimed: true }, 'recovering'],
    [{ status: 'CANCELLING', epoch: 1 }, 'cancelling'],
    [{ status: 'PAUSED', pause: 'STEP_CONFIRM' }, 'paused'],
    [{ status: 'PAUSED', pause: 'APPROVAL' }, 'approval'],
    [{ status: 'PAUSED', pause: 'FAILURE_DECISION' }, 'decision'],
    [{ status: 'PAUSED', pause: 'GATE' }, 'gate'],
    [{ slice: 'x', owner: 'w' }, 'slice'],
    [{ host: 'CONNECTING', sent: false, open: 2, later: true }, 'connecting'],
    [{ host: 'CONNECTING', sent: true, open: 2, later: true }, 'intent'],
    [{ host: 'RUNNING', sent: true, open: 2, later: true }, 'running'],
    [{ host: 'PENDING', sent: false, tried: true, open: 2 }, 'retry_wait'],
    [{ host: 'SUCCEEDED', sent: true, open: 2, begun: 0, batched: true }, 'batch'],
    [{ host: 'SUCCEEDED', sent: true, open: 2, begun: 1, batched: true }, null],
    [{ host: 'SUCCEEDED', sent: true, open: 0, later: true }, 'between_steps'],
    [{ host: 'SUCCEEDED', sent: true, open: 0, later: false }, 'finishing'],
  ])('%j is phase %s', (change, phase) => {
    expect(phaseOfChange(change)).toBe(phase);
  });

  it('is over when the next phase begins', () => {
    const run = { status: 'RUNNING', epoch: 1, later: true, hosts: [{ status: 'RUNNING', sent: true }] };
    expect(isInPhase('running', run)).toBe(true);
    expect(isInPhase('intent', run)).toBe(false);
    expect(isInPhase('between_steps', run)).toBe(false);
    expect(isInPhase('between_steps', { ...run, hosts: [{ status: 'SUCCEEDED', sent: true }] })).toBe(true);
    expect(isInPhase('finishing', { ...run, hosts: [{ status: 'FAILED', sent: true }], later: false })).toBe(true);
    expect(isInPhase('gate', { ...run, status: 'PAUSED', pause: 'GATE' })).toBe(true);
    expect(isInPhase('paused', { ...run, status: 'PAUSED', pause: 'GATE' })).toBe(false);
    const waits = { ...run, hosts: [{ status: 'PENDING', sent: false, tried: true }] };
    expect(isInPhase('retry_wait', waits)).toBe(true);
    expect(isInPhase('batch', waits)).toBe(false);
    expect(isInPhase('batch', { ...run, hosts: [{ status: 'PENDING', sent: false, tried: false }] })).toBe(true);
  });
});

describe('evidence of a host', () => {
  it('contains last activity, received output and exit code of each start', () => {
    const text = `start r1 s1 n1 10.00 - b 1\nline r1 s1 n1 10.10 1\nstart r1 s1 n2 11.00 d2 b 2\ngot r1 s1 n2 11.00 n1\nend r1 s1 n2 11.20 3\n`;
    expect(parseEvidence('h1', text)).toMatchObject([
      { nonce: 'n1', dispatchId: null, attempt: 1, startedAt: 10, lastAt: 10.1, lines: 1, exitCode: null },
      { nonce: 'n2', dispatchId: 'd2', attempt: 2, got: 'n1', lastAt: 11.2, lines: 0, exitCode: 3 },
    ]);
  });

  it('rejects records of commands that never started, except those of earlier trials', () => {
    const text = 'line r1 s1 n1 10.10 1\n';
    expect(() => parseEvidence('h1', text)).toThrow('never started');
    expect(parseEvidence('h1', text, new Set(['r1']))).toEqual([]);
  });
});

describe('proxy', () => {
  let [server, proxy, client] = [];

  beforeEach(async () => {
    server = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = new Proxy(() => ({ host: '127.0.0.1', port: server.address().port }));
    client = net.connect(await proxy.listen('127.0.0.1'), '127.0.0.1');
    await once(client, 'connect');
  });
  afterEach(async () => {
    client.destroy();
    await proxy.close();
    server.close();
  });

  it('buffers data while frozen and forwards it after thawing', async () => {
    client.write('one');
    expect(String((await once(client, 'data'))[0])).toBe('one');
    const { localPort } = client;
    proxy.freeze((port) => port === localPort);
    client.write('two');
    // The proxy forwards this client's data first, so it had time to forward the data of the frozen client.
    const other = net.connect(proxy.port, '127.0.0.1');
    for (const word of ['a', 'b', 'c']) {
      other.write(word);
      expect(String((await once(other, 'data'))[0])).toBe(word);
    }
    expect(client.bytesRead).toBe('one'.length);
    proxy.thaw();
    expect(String((await once(client, 'data'))[0])).toBe('two');
    other.destroy();
  });

  it('closes frozen connections with option close', async () => {
    proxy.freeze(clientsOf(process.pid));
    proxy.thaw({ close: true });
    await once(client, 'close');
    expect(client.destroyed).toBe(true);
  });

  it('does not freeze clients of other processes', async () => {
    proxy.freeze(clientsOf(1));
    client.write('one');
    expect(String((await once(client, 'data'))[0])).toBe('one');
  });
});

describe('API client', () => {
  let server;
  let away;

  const client = (patienceMs) =>
    new Client(() => [`http://127.0.0.1:${server.address().port}`], { retryMs: 1, patienceMs });
  beforeEach(async () => {
    server = http.createServer((_, answer) => {
      away -= 1;
      answer.writeHead(away >= 0 ? 503 : 200, { 'content-type': 'application/json' }).end('{"well":true}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('retries for the duration of a fault, even if refusals come quickly', async () => {
    away = 300;
    expect(await client(60_000).demand('GET', '/')).toEqual({ well: true });
  });

  it('gives up after its time limit', async () => {
    away = Number.POSITIVE_INFINITY;
    await expect(client(50).demand('GET', '/')).rejects.toThrow('503');
  });
});

describe('negative control', () => {
  let folder;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'runward-control-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const dist = (text) => {
    const file = path.join(folder, 'backend/dist/executions/lifecycle/overlap.js');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    writeFileSync(path.join(folder, 'backend/package.json'), '{}');
    return path.join(folder, 'backend/dist');
  };

  it('fails if the build does not contain the text to replace', () => {
    expect(() => buildWithout('guard', dist('nothing'), path.join(folder, 'copy'))).toThrow('0 times, not once');
  });

  it('fails if the build has no such file', () => {
    expect(() => buildWithout('fence', dist('nothing'), path.join(folder, 'copy'))).toThrow('no executions');
  });

  it.each(Object.keys(CONTROLS))('matches the current build: %s', (name) => {
    const built = path.resolve(import.meta.dirname, '../../backend/dist');
    const copy = buildWithout(name, built, path.join(folder, 'copy'));
    for (const [file, from, to] of CONTROLS[name].changes) {
      const text = readFileSync(path.join(copy, file), 'utf8');
      expect(text.split(to)).toHaveLength(readFileSync(path.join(built, file), 'utf8').split(to).length + 1);
      expect(to.includes(from) || !text.includes(from)).toBe(true);
    }
  });

  it('changes only a copy of the build', () => {
    const { changes } = CONTROLS.guard;
    const built = dist(changes.map(([, from]) => `const key = ${from}x\`;`).join('\n'));
    const copy = buildWithout('guard', built, path.join(folder, 'copy'));
    const text = (folder) => readFileSync(path.join(folder, changes[0][0]), 'utf8');
    expect(text(copy)).toBe(changes.map(([, , to]) => `const key = ${to}x\`;`).join('\n'));
    expect(text(built)).toBe(changes.map(([, from]) => `const key = ${from}x\`;`).join('\n'));
  });
});
