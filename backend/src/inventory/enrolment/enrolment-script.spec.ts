import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hostKeyFolder, runCommand } from '../../../test/support/enrolling-host.js';
import { ENROLMENT_SCRIPT, createEnrolmentCommand, quoteForShell } from './enrolment-script.js';

const dir = mkdtempSync(path.join(os.tmpdir(), 'runward-enrol-'));
const trap = path.join(dir, 'ran');
/** Each of these texts would create a file if a shell evaluated it. */
const CODE = [`$(touch ${trap})`, `\`touch ${trap}\``, `x; touch ${trap}`, `x' ; touch ${trap} '`, `x\n touch ${trap}`];
const keys = hostKeyFolder();
const CLOSED = 'http://127.0.0.1:9';
const user = os.userInfo().username;

beforeAll(() => {
  chmodSync(dir, 0o755);
  keys.write('ed25519', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK host');
});
afterAll(() => {
  keys.remove();
  rmSync(dir, { recursive: true, force: true });
});

describe.each([
  ['dash', ['dash']],
  ['bash', ['bash']],
  ['bash as sh', ['bash', '--posix']],
  ['busybox', ['busybox', 'sh']],
])('the script in %s', (_, shell) => {
  const run = (env: Record<string, string>, script = ENROLMENT_SCRIPT) => {
    const usual = { RUNWARD_URL: CLOSED, RUNWARD_ENROLMENT: 'runward-enrol_x', RUNWARD_USER: user, RUNWARD_WAIT: '0' };
    return runCommand(script, { ...usual, RUNWARD_HOST_KEYS: keys.path, ...env }, shell);
  };

  it('never executes a value as code, and refuses invalid values', async () => {
    for (const name of ['RUNWARD_URL', 'RUNWARD_ENROLMENT', 'RUNWARD_USER', 'RUNWARD_ADDRESS', 'RUNWARD_WAIT'])
      for (const value of CODE) {
        const ended = await run({ [name]: value });
        expect([name, ended.code, ended.text]).toEqual([name, 1, expect.stringContaining(`${name} is not`)]);
      }
    for (const value of CODE) {
      const url = await run({ RUNWARD_URL: `${CLOSED}/${value}` });
      expect(url.code).toBe(1);
      const folder = await run({ RUNWARD_HOST_KEYS: `${dir}/${value}` });
      expect([folder.code, folder.text]).toEqual([1, expect.stringContaining('no public host key')]);
    }
    expect(existsSync(trap)).toBe(false);
  });

  it('never executes text of a key file as code, and skips lines that are not keys', async () => {
    for (const [index, value] of CODE.entries()) keys.write(`odd${index}`, `${value} ${value}`);
    keys.write('quoted', 'ssh-rsa AAAA","x":"y');
    const ended = await run({});
    expect(ended.text.match(/is not a public key and is left out/g)).toHaveLength(CODE.length + 1);
    expect(ended.text).toContain(`Failed. No answer from ${CLOSED}`);
    expect([ended.code, existsSync(trap)]).toEqual([1, false]);
    for (const name of [...CODE.keys()].map((index) => `odd${index}`).concat('quoted'))
      rmSync(path.join(keys.path, `ssh_host_${name}_key.pub`));
  });

  it('names what is missing on the host', async () => {
    expect((await run({ RUNWARD_USER: 'nobody-is-called-so' })).text).toContain('There is no user');
    const empty = hostKeyFolder();
    expect((await run({ RUNWARD_HOST_KEYS: empty.path })).text).toContain('There is no public host key in');
    empty.remove();
    // Programs are only found through PATH, and this PATH has none of them.
    const bare = await runCommand(ENROLMENT_SCRIPT, { PATH: dir }, [`/usr/bin/${shell[0]}`, ...shell.slice(1)]);
    expect(bare.code).toBe(1);
  });

  it('does nothing when it was cut off at any position', async () => {
    const marked = ENROLMENT_SCRIPT.replace('LC_ALL=C;', `: >${quoteForShell(trap)}; LC_ALL=C;`);
    for (let part = 1; part < 40; part += 1) {
      await run({}, marked.slice(0, Math.floor((marked.length * part) / 40)));
      expect([part, existsSync(trap)]).toEqual([part, false]);
    }
    await run({}, marked);
    expect(existsSync(trap)).toBe(true);
    rmSync(trap);
  });
});

describe('the command', () => {
  it('fails when the script cannot be loaded', async () => {
    const command = createEnrolmentCommand({ url: CLOSED, token: 'runward-enrol_x', username: user });
    expect((await runCommand(command)).code).not.toBe(0);
  });

  it('quotes values from the settings and the request', async () => {
    writeFileSync(path.join(dir, 'curl'), '#!/bin/sh\nprintf %s "printf %s \\"\\$RUNWARD_USER\\""\n', { mode: 0o755 });
    for (const value of CODE) {
      const command = createEnrolmentCommand({ url: CLOSED, token: 'x', username: value });
      const ended = await runCommand(command, { PATH: `${dir}:${process.env.PATH}` });
      expect([ended.code, ended.text, existsSync(trap)]).toEqual([0, value, false]);
    }
  });
});
