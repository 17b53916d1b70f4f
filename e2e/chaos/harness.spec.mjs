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
import { PHASES, phaseOfChange, standsIn } from './phases.mjs';
import { clientsOf, Proxy } from './proxy.mjs';
import { FAULTS, scenarioOf } from './scenario.mjs';

const HOSTS = Array.from({ length: 16 }, (_, index) => `h${index + 1}`);
const given = { hosts: HOSTS };
const hundred = (key, more = {}) =>
  Array.from({ length: 100 }, (_, n) => scenarioOf(`s-${n}`, { ...given, ...more })).flatMap((each) => each[key]);

describe('a scenario', () => {
  it('is the same for the same seed, and another one for another', () => {
    expect(scenarioOf('a-1', given)).toEqual(scenarioOf('a-1', given));
    expect(scenarioOf('a-1', given)).not.toEqual(scenarioOf('a-2', given));
  });

  it.each(['outside', 'embedded'])(
    'has every kind of fault of its database (%s) and aims at every phase within a hundred seeds',
    (database) => {
      const faults = hundred('faults', { database });
      const kinds = Object.keys(FAULTS).filter((kind) => kind !== 'kill-product' || database === 'embedded');
      expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(kinds));
      expect(new Set(faults.map(({ phase }) => phase))).toEqual(new Set([null, ...PHASES]));
    },
  );

  it('ends the embedded database once in each trial', () => {
    const outages = ['restart-database', 'kill-database', 'kill-product'];
    for (let n = 0; n < 100; n += 1) {
      const { faults } = scenarioOf(`s-${n}`, { ...given, database: 'embedded' });
      expect(faults.filter(({ kind }) => outages.includes(kind))).toHaveLength(1);
    }
  });

  it('has every kind of step and everything that people do within a hundred seeds', () => {
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

  it('lets hosts go on by themselves in about a third of its plans, also in wide ones', () => {
    const plans = hundred('plans');
    const free = plans.filter(({ strategy }) => strategy === 'free');
    expect(free.length / plans.length).toBeGreaterThan(0.28);
    expect(free.length / plans.length).toBeLessThan(0.39);
    expect(free.some(({ name, steps }) => name === 'wide' && steps.every(({ batch }) => batch === null))).toBe(true);
  });

  it('starts plans on hosts of their own environment only', () => {
    const { plans, starts, environments } = scenarioOf('c-1', given);
    const environmentOf = (name) => environments[plans.find((plan) => plan.name === name).environment];
    expect(starts.filter(({ plan, hosts }) => hosts.some((host) => !environmentOf(plan).hosts.includes(host)))).toEqual(
      [],
    );
  });

  it('keeps to the kinds of fault that were asked for', () => {
    const { faults } = scenarioOf('b-1', { ...given, kinds: ['kill-api'] });
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['kill-api']));
  });
});

describe('the phase of a run', () => {
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
  ])('%j is told as %s', (change, phase) => {
    expect(phaseOfChange(change)).toBe(phase);
  });

  it('has passed when the next one has begun', () => {
    const run = { status: 'RUNNING', epoch: 1, later: true, hosts: [{ status: 'RUNNING', sent: true }] };
    expect(standsIn('running', run)).toBe(true);
    expect(standsIn('intent', run)).toBe(false);
    expect(standsIn('between_steps', run)).toBe(false);
    expect(standsIn('between_steps', { ...run, hosts: [{ status: 'SUCCEEDED', sent: true }] })).toBe(true);
    expect(standsIn('finishing', { ...run, hosts: [{ status: 'FAILED', sent: true }], later: false })).toBe(true);
    expect(standsIn('gate', { ...run, status: 'PAUSED', pause: 'GATE' })).toBe(true);
    expect(standsIn('paused', { ...run, status: 'PAUSED', pause: 'GATE' })).toBe(false);
    const waits = { ...run, hosts: [{ status: 'PENDING', sent: false, tried: true }] };
    expect(standsIn('retry_wait', waits)).toBe(true);
    expect(standsIn('batch', waits)).toBe(false);
    expect(standsIn('batch', { ...run, hosts: [{ status: 'PENDING', sent: false, tried: false }] })).toBe(true);
  });
});

describe('the evidence of a host', () => {
  it('tells of each start when it was last at work, what it was given, and whether it came to its end', () => {
    const text = `start r1 s1 n1 10.00 - b 1\nline r1 s1 n1 10.10 1\nstart r1 s1 n2 11.00 d2 b 2\ngot r1 s1 n2 11.00 n1\nend r1 s1 n2 11.20 3\n`;
    expect(parseEvidence('h1', text)).toMatchObject([
      { nonce: 'n1', dispatchId: null, attempt: 1, startedAt: 10, lastAt: 10.1, lines: 1, exitCode: null },
      { nonce: 'n2', dispatchId: 'd2', attempt: 2, got: 'n1', lastAt: 11.2, lines: 0, exitCode: 3 },
    ]);
  });

  it('is refused when a command that never started goes on, but for those of earlier trials', () => {
    const text = 'line r1 s1 n1 10.10 1\n';
    expect(() => parseEvidence('h1', text)).toThrow('never started');
    expect(parseEvidence('h1', text, new Set(['r1']))).toEqual([]);
  });
});

describe('the proxy', () => {
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

  it('keeps what is sent while it is frozen, and hands it on when it thaws', async () => {
    client.write('one');
    expect(String((await once(client, 'data'))[0])).toBe('one');
    const { localPort } = client;
    proxy.freeze((port) => port === localPort);
    client.write('two');
    // Another client's words come back meanwhile: there was time for those of the first one.
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

  it('closes what was frozen when it is told to', async () => {
    proxy.freeze(clientsOf(process.pid));
    proxy.thaw({ close: true });
    await once(client, 'close');
    expect(client.destroyed).toBe(true);
  });

  it('leaves the clients of other processes alone', async () => {
    proxy.freeze(clientsOf(1));
    client.write('one');
    expect(String((await once(client, 'data'))[0])).toBe('one');
  });
});

describe('a client', () => {
  let server;
  let away;

  const client = (patienceMs) =>
    new Client(() => [`http://127.0.0.1:${server.address().port}`], { againMs: 1, patienceMs });
  beforeEach(async () => {
    server = http.createServer((_, answer) => {
      away -= 1;
      answer.writeHead(away >= 0 ? 503 : 200, { 'content-type': 'application/json' }).end('{"well":true}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('that demands something asks as long as a fault may last, however quickly it is refused', async () => {
    away = 300;
    expect(await client(60_000).demand('GET', '/')).toEqual({ well: true });
  });

  it('gives up in the end', async () => {
    away = Number.POSITIVE_INFINITY;
    await expect(client(50).demand('GET', '/')).rejects.toThrow('503');
  });
});

describe('a control', () => {
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

  it('is an error where the build does not hold what it takes out', () => {
    expect(() => buildWithout('guard', dist('nothing'), path.join(folder, 'copy'))).toThrow('0 times, not once');
  });

  it('is an error where the build has no such defence', () => {
    expect(() => buildWithout('fence', dist('nothing'), path.join(folder, 'copy'))).toThrow('no executions');
  });

  it.each(Object.keys(CONTROLS))('fits the product as it is built now: %s', (name) => {
    const built = path.resolve(import.meta.dirname, '../../backend/dist');
    const copy = buildWithout(name, built, path.join(folder, 'copy'));
    for (const [file, from, to] of CONTROLS[name].changes) {
      const text = readFileSync(path.join(copy, file), 'utf8');
      expect(text.split(to)).toHaveLength(readFileSync(path.join(built, file), 'utf8').split(to).length + 1);
      expect(to.includes(from) || !text.includes(from)).toBe(true);
    }
  });

  it('changes a copy of the build', () => {
    const { changes } = CONTROLS.guard;
    const built = dist(changes.map(([, from]) => `const key = ${from}x\`;`).join('\n'));
    const copy = buildWithout('guard', built, path.join(folder, 'copy'));
    const text = (folder) => readFileSync(path.join(folder, changes[0][0]), 'utf8');
    expect(text(copy)).toBe(changes.map(([, , to]) => `const key = ${to}x\`;`).join('\n'));
    expect(text(built)).toBe(changes.map(([, from]) => `const key = ${from}x\`;`).join('\n'));
  });
});
