import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SshHosts, startSshHosts } from '../../test/support/ssh-hosts.js';
import { deadlineIn, deadlineSignal, endsWithin, listeningNow } from './listening-time.js';
import { openConnection, type SshTarget } from './connection/ssh-connection.js';
import { scanHostKey } from './connection/host-key-scan.js';

/** Keeps the event loop from everything. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
const quiet = { onOutput: () => undefined };

describe('listening time', () => {
  it('stands still while the event loop is blocked, and never goes back', async () => {
    const before = listeningNow();
    await new Promise((resolve) => setTimeout(resolve, 150));
    block(1_000);
    const after = listeningNow();
    expect(after).toBeGreaterThanOrEqual(before);
    expect(after - before).toBeLessThan(900);
    await turns(5);
    expect(listeningNow()).toBeGreaterThanOrEqual(after);
  });

  it('ends a wait that nothing answers, at its time', async () => {
    const begunAt = performance.now();
    const { signal } = deadlineSignal(200);
    expect(await endsWithin(100, new Promise(() => undefined))).toBe(false);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(199);
  });

  it('ends no wait after it was met', async () => {
    let ended = false;
    const deadline = deadlineIn(0, () => (ended = true));
    block(5);
    deadline.cancel();
    await turns(5);
    expect(ended).toBe(false);
    expect(await endsWithin(50, Promise.resolve())).toBe(true);
  });
});

describe('a host that answers in time while the event loop here is blocked', () => {
  let hosts: SshHosts;
  let target: SshTarget;
  beforeAll(async () => {
    hosts = await startSshHosts();
    const { sshd, key } = hosts;
    target = {
      host: sshd.addresses[0] ?? '',
      port: sshd.port,
      username: sshd.user,
      privateKey: key.privateKey,
      hostKeys: [sshd.hostKey],
      legacyAlgorithms: false,
    };
    listeningNow();
  });
  afterAll(() => hosts.stop());

  it('is connected to, however soon the time for it is over', async () => {
    const connecting = openConnection(target, { connectTimeoutMs: 1_000, handshakeTimeoutMs: 5_000 });
    block(2_500);
    const connection = await connecting;
    expect(connection.isOpen).toBe(true);
    connection.end();
  });

  it('finishes its handshake', async () => {
    for (const open of [
      () => openConnection(target, { handshakeTimeoutMs: 3_000 }).then((connection) => connection.end()),
      () => scanHostKey(target.host, target.port, { handshakeTimeoutMs: 3_000 }),
    ]) {
      const opening = open();
      // The TCP connection stands, and the handshake has begun.
      await new Promise((resolve) => setTimeout(resolve, 20));
      block(4_000);
      await opening;
    }
  });

  it('has acknowledged the start of a command, and its end is seen', async () => {
    const connection = await openConnection(target);
    const starting = connection.exec({ script: 'exit 7', execTimeoutMs: 2_000, ...quiet });
    block(3_000);
    const command = await starting;
    expect(await command.started).toBe(true);
    expect(await command.result).toEqual({ kind: 'exited', exitCode: 7 });
    connection.end();
  });

  it('has sent all of its output, which is not taken for held open', async () => {
    const connection = await openConnection(target);
    let bytes = 0;
    let blocked = false;
    const command = await connection.exec({
      script: 'head -c 300000 /dev/zero',
      onOutput: (_, piece) => {
        bytes += piece.length;
        if (blocked || bytes < 100_000) return;
        blocked = true;
        // Longer than silence is waited for.
        block(4_000);
      },
    });
    expect(await command.result).toEqual({ kind: 'exited', exitCode: 0 });
    expect(bytes).toBe(300_000);
    connection.end();
  });

  it('answers a probe', async () => {
    const connection = await openConnection(target);
    const probing = connection.probe({ port: target.port }, { timeoutMs: 500 });
    block(1_500);
    expect(await probing).toMatchObject({ answered: true });
    connection.end();
  });
});

/** What waits by itself: it ends nothing of a host's, or its time is that of the clock on purpose. */
const ALLOWED: Readonly<Record<string, string>> = {
  'transport/listening-time.ts': 'is the clock',
  'transport/connection/ssh-connection.ts': 'a connection that was ended already',
  'executions/engine/lease/retry-while-database-away.ts': 'a pause before the database is asked again',
  'executions/engine/worker/slot-use.ts': 'a run that rests gives its place away',
  'executions/engine/step/step-control.ts': 'pauses between attempts, and the end of the worker itself',
  'executions/engine/worker/sweep.ts': 'looks at the database',
  'executions/engine/progress/progress-writer.ts': 'writes to the database',
  'executions/engine/connections/warm-connections.ts': 'closes what nobody uses',
  'executions/engine/worker/segment-runner.ts': 'a pause',
  'executions/engine/connections/run-reach.ts': 'writes to the database',
  'executions/engine/connections/retired-hosts.ts': 'lets hosts with work go first',
  'executions/engine/connections/gathered.ts': 'gathers questions to the database',
  'executions/engine/worker/run-worker.ts': 'looks whether runs have slots they do not use',
  'executions/engine/connections/run-connections.ts': 'clearing away after the end of the run',
  'executions/engine/worker/step-slices.ts': 'looks at the database',
  'executions/engine/lease/lease.ts': 'a lease runs out by the clock, whatever this process does',
  'executions/engine/progress/fair-turns.ts': 'gives turns of the loop',
  'executions/steps/turns.ts': 'gives turns of the loop',
};

it('no deadline for a host is counted in any other time', () => {
  const source = path.resolve(import.meta.dirname, '..');
  const files = ['transport', 'executions/engine', 'executions/steps'].flatMap((folder) =>
    readdirSync(path.join(source, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const own = files.filter((file) => {
    const text = readFileSync(path.join(source, file), 'utf8');
    return /\bset(Timeout|Interval)\b|AbortSignal\.timeout|timers\/promises|readyTimeout: (?!0)/.test(text);
  });
  expect(own.filter((file) => !(file in ALLOWED))).toEqual([]);
  expect(files.length).toBeGreaterThan(60);
});
