import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type JournalHost, newEntry, OutputCollector, startJournalHost } from '../../../test/support/journal-host.js';
import { isAlive } from '../../../test/support/processes.js';
import type { SshConnection } from '../connection/ssh-connection.js';
import { parseRemainingProcesses } from './command-processes.js';

let host: JournalHost;
let connection: SshConnection;
beforeAll(async () => {
  host = await startJournalHost('127.0.1.62');
  connection = await host.connect();
});
afterAll(() => host.stop());

const STUBBORN = `sh -c 'trap "" TERM; echo pid:$$; exec >/dev/null 2>&1; while :; do sleep 0.1; done'`;

async function start(script: string, journaled: boolean) {
  const dispatchId = randomUUID();
  const output = new OutputCollector();
  const command = await connection.exec({
    script: `export RUNWARD_DISPATCH_ID=${dispatchId}\n${script}`,
    dispatchId,
    journal: journaled ? newEntry({ dispatchId }) : undefined,
    onOutput: output.onOutput,
  });
  const pid = async () => {
    await output.until('pid:');
    return Number(/pid:(\d+)/.exec(output.stdout)?.[1]);
  };
  return { command, pid };
}

describe.each([
  ['with a journal', true],
  ['without a journal', false],
])('a command %s', (_how, journaled) => {
  it('that leaves a writer behind exits with its own code, reports the writer and does not kill it', async () => {
    const loop = 'while :; do echo tick; sleep 0.5; done';
    const script = `setsid sh -c "${loop}" & echo pid:$!; (${loop}) & exit 4`;
    const { command, pid } = await start(script, journaled);
    const result = await command.result;
    expect(command.hasExited).toBe(true);
    expect(result).toMatchObject({ kind: 'exited', exitCode: 4, outputStillOpen: true });
    const left = result.kind === 'exited' ? (result.leftBehind ?? []) : [];
    expect(left).toContainEqual({ pid: await pid(), name: 'sh' });
    const writers = left.filter(({ name }) => name === 'sh');
    for (const writer of writers) process.kill(writer.pid);
    expect(writers).toHaveLength(2);
  });

  it.each([
    ['a session of its own', `setsid ${STUBBORN} & wait`],
    ['its own session', `${STUBBORN} & wait`],
    ['nohup', `nohup ${STUBBORN} & wait`],
    ['a daemon, forked twice', `(setsid ${STUBBORN} &); while :; do sleep 0.1; done`],
    ['a child without its environment', `env -i setsid ${STUBBORN} & wait`],
  ])('that is terminated also ends processes that ignore SIGTERM and hold no output: %s', async (_what, script) => {
    const { command, pid } = await start(script, journaled);
    const left = await pid();
    await command.terminate(400);
    expect(await command.result).toMatchObject({ kind: expect.stringMatching(/^(exited|signalled)$/) });
    expect(await isAlive(left)).toBe(false);
  });

  it('that is terminated also ends the sessions that it started', async () => {
    const { command, pid } = await start('setsid sleep 75 >/dev/null 2>&1 & echo pid:$!; wait', journaled);
    const left = await pid();
    await command.terminate(3000);
    expect(await command.result).toMatchObject({ kind: journaled ? 'exited' : 'signalled' });
    await eventually('it has ended', async () => !(await isAlive(left)));
  });
});

it('reads only lines of the query format as processes', () => {
  const answer = 'Welcome\nleft 12 sleep\nleft x y\nleft 13 a"b<c\nleft 12 sleep\nleft 15 my-app.1\n';
  expect(parseRemainingProcesses(answer)).toEqual([
    { pid: 12, name: 'sleep' },
    { pid: 13, name: 'a_b_c' },
    { pid: 15, name: 'my-app.1' },
  ]);
});
