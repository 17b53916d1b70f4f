import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SshHosts, startSshHosts } from '../../test/support/ssh-hosts.js';
import { scheduleDeadline, createDeadlineSignal, waitAtMost, getListeningTimeMs } from './listening-time.js';
import { openConnection, type SshTarget } from './connection/ssh-connection.js';
import { scanHostKey } from './connection/host-key-scan.js';

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
const quietEvents = { onOutput: () => undefined };

describe('listening time', () => {
  it('stands still while the event loop is blocked, and never goes back', async () => {
    const before = getListeningTimeMs();
    await new Promise((resolve) => setTimeout(resolve, 150));
    block(1_000);
    const after = getListeningTimeMs();
    expect(after).toBeGreaterThanOrEqual(before);
    expect(after - before).toBeLessThan(900);
    await turns(5);
    expect(getListeningTimeMs()).toBeGreaterThanOrEqual(after);
  });

  it('ends a wait without an answer at its deadline', async () => {
    const begunAt = performance.now();
    const { signal } = createDeadlineSignal(200);
    expect(await waitAtMost(100, new Promise(() => undefined))).toBe(false);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(199);
  });

  it('does not end a wait that was cancelled', async () => {
    let ended = false;
    const deadline = scheduleDeadline(0, () => (ended = true));
    block(5);
    deadline.cancel();
    await turns(5);
    expect(ended).toBe(false);
    expect(await waitAtMost(50, Promise.resolve())).toBe(true);
  });
});

describe('a host that answers in time while the local event loop is blocked', () => {
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
    getListeningTimeMs();
  });
  afterAll(() => hosts.stop());

  it('is connected to, even when the deadline is very short', async () => {
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
      await new Promise((resolve) => setTimeout(resolve, 20));
      block(4_000);
      await expect(opening).resolves.not.toThrow();
    }
  });

  it('has acknowledged the start of a command, and its end is seen', async () => {
    const connection = await openConnection(target);
    const starting = connection.exec({ script: 'exit 7', execTimeoutMs: 2_000, ...quietEvents });
    block(3_000);
    const command = await starting;
    expect(await command.started).toBe(true);
    expect(await command.result).toEqual({ kind: 'exited', exitCode: 7 });
    connection.end();
  });

  it('has sent all of its output, which does not count as held open', async () => {
    const connection = await openConnection(target);
    let bytes = 0;
    let blocked = false;
    const command = await connection.exec({
      script: 'head -c 300000 /dev/zero',
      onOutput: (_, piece) => {
        bytes += piece.length;
        if (blocked || bytes < 100_000) return;
        blocked = true;
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

/** Files with other timers, which do not wait for a host or use clock time on purpose. */
const ALLOWED: Readonly<Record<string, string>> = {
  'transport/listening-time.ts': 'is the clock',
  'transport/connection/ssh-connection.ts': 'a connection that was ended already',
  'executions/engine/worker/slot-use.ts': 'a resting run returns its slot',
  'executions/engine/step/step-control.ts': 'pauses between attempts, and the end of the worker itself',
  'executions/engine/worker/sweep.ts': 'polls the database',
  'executions/engine/progress/progress-writer.ts': 'writes to the database',
  'executions/engine/connections/warm-connections.ts': 'closes unused connections',
  'executions/engine/worker/segment-runner.ts': 'a pause',
  'executions/engine/connections/run-reach.ts': 'writes to the database',
  'executions/engine/connections/retired-hosts.ts': 'lets hosts with work go first',
  'executions/engine/connections/batcher.ts': 'batches queries',
  'executions/engine/worker/run-worker.ts': 'checks whether runs have unused slots',
  'executions/engine/connections/run-connections.ts': 'clearing away after the end of the run',
  'executions/engine/worker/step-slices.ts': 'polls the database',
  'executions/engine/lease/lease.ts': 'a lease expires by the clock, and a pause before a query is retried',
  'executions/engine/progress/fair-turns.ts': 'gives turns of the loop',
  'executions/steps/turns.ts': 'gives turns of the loop',
};

it('no deadline for a host uses another clock', () => {
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
