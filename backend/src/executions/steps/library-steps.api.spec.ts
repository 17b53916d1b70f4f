import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { made } from '../../../test/support/environment-scene.js';
import type { TestMember, TestWorker } from '../../../test/support/installation.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

let lab: RunLab;
let approver: TestMember;
let guarded: string;
let numbered = 0;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  await lab.shareHostKey();
  approver = await lab.runward.member(lab.admin, 'admin');
  guarded = await made(lab.api.post('/api/environments', { name: 'guarded', protected: true }));
  await lab.server({ name: 'guarded', environmentId: guarded, hostname: '127.0.1.2' });
  await lab.api.put(`/api/environments/${lab.environmentId}/variables/PASSWORD`, {
    value: 'hunter22hunter',
    secret: true,
  });
});
afterAll(() => lab.close());

const file = (name: string) => path.join(lab.evidence, name);
const script = (content: string) => {
  numbered += 1;
  return made(lab.api.post('/api/scripts', { name: `script-${numbered}`, content }));
};
const template = (content: string) => {
  numbered += 1;
  return made(lab.api.post('/api/templates', { name: `template-${numbered}`, content }));
};
const only = { targets: 'name=web-1' };
async function working<T>(work: () => Promise<T>): Promise<T> {
  const worker: TestWorker = await lab.runward.worker();
  try {
    return await work();
  } finally {
    await worker.stop();
  }
}

describe('a step that runs a script of the library', () => {
  it('passes its arguments, keeps its exit code and outputs, and leaves no files behind', async () => {
    const scriptId = await script('#!/bin/sh\nprintf "%s|" "$@"\necho version=7 >> "$RUNWARD_OUTPUT"\nexit 3\n');
    const steps = [
      {
        key: 'run',
        type: 'script',
        scriptId,
        arguments: ['two words', '$HOME'],
        okExitCodes: [3],
        outputs: ['version'],
      },
      { key: 'tell', command: 'echo got {{ steps.run.outputs.version }}' },
    ] as const;
    const run = await working(() =>
      lab.run(
        steps.map((step) => ({ ...step }) as never),
        only,
      ),
    );
    expect(run.status).toBe('SUCCEEDED');
    const [result] = await lab.results(run.id);
    expect(result).toMatchObject({ status: 'SUCCEEDED', exitCode: 3, outputs: { version: '7' } });
    expect(await lab.text(run.id, lab.servers[0]?.id ?? '', 'run')).toBe('two words|$HOME|');
    expect(await lab.text(run.id, lab.servers[0]?.id ?? '', 'tell')).toBe('got 7\n');
  });

  it('uses the first line of the script unless an interpreter is set', async () => {
    const bash =
      '#!/bin/bash -e\nif [[ "$1" == "primary" ]]; then echo "primary: $-" | tr -dc "a-z: " | cut -c1-10; fi\nfalse\necho on\n';
    const perl = '#!/usr/bin/env -S perl -w\nmy $unused; print "perl ", join("|", @ARGV), " $^W\\n";\n';
    const steps = [
      { key: 'bash', type: 'script', scriptId: await script(bash), arguments: ['primary'], okExitCodes: [1] },
      { key: 'perl', type: 'script', scriptId: await script(perl), arguments: ['a b', "it's"] },
      { key: 'none', type: 'script', scriptId: await script('ps -o comm= -p $$\n') },
      { key: 'windows', type: 'script', scriptId: await script('\uFEFF#!/usr/bin/perl\r\nprint "$^X\\n";\r\n') },
      { key: 'own', type: 'script', scriptId: await script(perl), interpreter: 'cat' },
    ];
    const run = await working(() => lab.run(steps as never, only));
    const host = lab.servers[0]?.id ?? '';
    const outputs = await Promise.all(steps.map(({ key }) => lab.text(run.id, host, key)));
    expect(outputs).toEqual(['primary: e\n', "perl a b|it's 1\n", 'sh\n', '/usr/bin/perl\n', perl]);
    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps.map(({ command }) => command)).toEqual([
      '/bin/bash -e script-2 primary',
      "/usr/bin/env perl -w script-3 'a b' 'it'\\''s'",
      '/bin/sh script-4',
      '/usr/bin/perl script-5',
      'cat script-6',
    ]);
  });

  it('suggests Windows line ends or a contradicting first line as cause of a failure', async () => {
    const scriptId = await script('#!/bin/sh\r\nif true; then\r\n  echo hi\r\nfi\r\n');
    const other = await script('#!/usr/bin/perl\nprint "x";\n');
    const steps = [
      { key: 'crlf', type: 'script', scriptId },
      { key: 'other', type: 'script', scriptId: other, interpreter: '/bin/sh', always: true },
    ];
    const run = await working(() => lab.run(steps as never, only));
    const [crlf, contradicted] = await lab.results(run.id);
    expect([crlf?.status, crlf?.reason?.text]).toEqual([
      'FAILED',
      expect.stringContaining('Windows line ends (CRLF) in 4 lines'),
    ]);
    expect(contradicted?.reason?.text).toContain('Line 1 names "/usr/bin/perl", but "/bin/sh" runs the script');
  });

  it('is forecast by a dry run with its program, and is blocked if the host lacks the program', async () => {
    const steps = [
      { key: 'bash', type: 'script', scriptId: await script('#!/usr/bin/env -S bash -e\ntrue\n') },
      { key: 'missing', type: 'script', scriptId: await script('#!/usr/bin/env no-such-program\ntrue\n') },
      { key: 'gone', type: 'script', scriptId: await script('#!/opt/none/python3 -u\r\ntrue\n') },
    ];
    const start = { execution_mode: 'dry_run' };
    const run = await working(() => lab.run(steps as never, { ...only, start }));
    const [bash, missing, gone] = await lab.results(run.id);
    expect(bash?.reason?.text).toContain('The script would run with "/usr/bin/env bash -e"');
    expect(missing).toMatchObject({ verdict: 'CANNOT_PREDICT', reason: { code: 'interpreter_missing' } });
    expect(gone?.reason?.text).toContain('needs the program /opt/none/python3');
    expect(gone?.reason?.text).toContain('Windows line ends (CRLF) in 1 line');
  });
});

describe('a step that writes a config file', () => {
  const plan = async (name: string) => {
    const templateId = await template('port={{ port }}\npassword={{ PASSWORD }}\n');
    const steps = [
      { key: 'write', type: 'template', templateId, path: file(name), mode: '0640' },
      { key: 'reload', command: `echo reloaded >> ${file(`${name}.reloads`)}`, onlyIfChanged: ['write'] },
    ];
    const variables = [
      { name: 'port', type: 'integer', default: 80 },
      { name: 'PASSWORD', type: 'secret' },
    ];
    return lab.plan(steps as never, { ...only, variables } as never);
  };

  it('reports a change exactly when the content differs, and only then triggers the handler', async () => {
    const planId = await plan('app.conf');
    await working(async () => {
      const runs = [];
      for (const port of [80, 80, 81])
        runs.push(await lab.settled((await lab.start(planId, { variables: { port } })).id));
      expect(runs.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
      const changed = await Promise.all(
        runs.map(async ({ id }) => (await lab.results(id, 'stepKey=write'))[0]?.changed),
      );
      expect(changed).toEqual([true, false, true]);
      const diffs = await Promise.all(runs.map(async ({ id }) => (await lab.results(id, 'stepKey=write'))[0]?.diff));
      expect(diffs[0]).toContain('+port=80\n+password=‹secret PASSWORD›');
      expect(diffs[1]).toBeNull();
      expect(diffs[2]).toContain('-port=80\n+port=81\n password=‹secret PASSWORD›');
      expect(diffs.join('')).not.toContain('hunter22hunter');
      const [first] = runs;
      expect(await lab.text(first?.id ?? '', lab.servers[0]?.id ?? '', 'write')).toBe(
        `${file('app.conf')} was written.\n`,
      );
    });
    expect(await readFile(file('app.conf'), 'utf8')).toBe('port=81\npassword=hunter22hunter\n');
    expect((await stat(file('app.conf'))).mode & 0o777).toBe(0o640);
    expect(await lab.left('app.conf.reloads')).toBe('reloaded\nreloaded\n');
  });

  it('displays the difference without an earlier value of the secret, and no difference for a very long file', async () => {
    const planId = await plan('rotated.conf');
    const path = file('rotated.conf');
    const put = async (content: string | Buffer) => {
      await writeFile(path, content);
      const { uid, gid } = await stat(file('app.conf'));
      await chown(path, uid, gid);
    };
    await put('port=80\npassword=formersecret\nformersecret too\n');
    await working(async () => {
      const started = async () => (await lab.settled((await lab.start(planId, {})).id)).id;
      const [rotated] = await lab.results(await started(), 'stepKey=write');
      expect(rotated).toMatchObject({ status: 'SUCCEEDED', changed: true });
      expect(rotated?.diff).toContain('password=‹secret PASSWORD›');
      expect(rotated?.diff).not.toContain('formersecret');
      await put('x\n'.repeat(30_000));
      const [long] = await lab.results(await started(), 'stepKey=write');
      expect(long).toMatchObject({ changed: true, diff: 'The previous file was too large to show its lines.\n' });
      await put(Buffer.from([0, 255, 10]));
      const [binary] = await lab.results(await started(), 'stepKey=write');
      expect(binary?.diff).toContain('+port=80');
    });
  });

  it('is forecast as a change if owner or group would change', async () => {
    const templateId = await template('same');
    const written = { key: 'write', type: 'template', templateId, path: file('owned.conf') };
    const { uid, gid } = await working(async () => {
      await lab.run([written as never], only);
      return stat(file('owned.conf'));
    });
    const verdict = async (fields: object) => {
      const start = { execution_mode: 'dry_run' };
      const run = await working(() => lab.run([{ ...written, ...fields } as never], { ...only, start }));
      return (await lab.results(run.id))[0]?.verdict;
    };
    expect(await verdict({ owner: String(uid), group: String(gid) })).toBe('NO_CHANGE');
    expect(await verdict({ owner: lab.hosts.sshd.user })).toBe('NO_CHANGE');
    expect(await verdict({ owner: 'nobody' })).toBe('WOULD_CHANGE');
    expect(await verdict({ group: '65533' })).toBe('WOULD_CHANGE');
  });

  it('is forecast by a dry run with the changes, and without the secret', async () => {
    const planId = await plan('dry.conf');
    await working(async () => {
      const dry = await lab.settled((await lab.start(planId, { execution_mode: 'dry_run' })).id);
      const [write, reload] = await lab.results(dry.id);
      expect(write).toMatchObject({ verdict: 'WOULD_CHANGE', reason: { code: 'file_differs' } });
      expect(write?.diff).toContain('+port=80');
      expect(write?.diff).toContain('+password=‹secret PASSWORD›');
      expect(write?.diff).not.toContain('hunter22hunter');
      expect(reload).toMatchObject({ verdict: 'WOULD_RUN' });
      expect(await lab.left('dry.conf')).toBe('');
      await lab.settled((await lab.start(planId, { expectedDigest: dry.digest })).id);
      const after = await lab.settled((await lab.start(planId, { execution_mode: 'dry_run' })).id);
      const [same, left] = await lab.results(after.id);
      expect(same).toMatchObject({ verdict: 'NO_CHANGE', diff: null });
      expect(left).toMatchObject({ verdict: 'WOULD_SKIP' });
    });
  });
});

describe('a dry run in a protected environment', () => {
  it('reports that a file differs without its content', async () => {
    const templateId = await template('mine\n');
    const steps = [{ key: 'write', type: 'template', templateId, path: '/etc/hostname' }];
    const planId = await lab.plan(steps as never, { environmentId: guarded });
    const dry = await working(async () => lab.settled((await lab.start(planId, { execution_mode: 'dry_run' })).id));
    const [result] = await lab.results(dry.id);
    expect(result).toMatchObject({ verdict: 'WOULD_CHANGE', reason: { code: 'file_differs' }, diff: null });
    expect(result?.reason?.text).toContain('not shown without an approval');
  });
});

describe('an approval', () => {
  it.each(['before the approval', 'after the approval'])(
    'runs the requested script and template even if both are changed %s',
    async (when) => {
      numbered += 1;
      const name = `approved-${numbered}`;
      const scriptId = await script(`echo first > ${file(`${name}.out`)}`);
      const templateId = await template('first\n');
      const steps = [
        { key: 'run', type: 'script', scriptId },
        { key: 'write', type: 'template', templateId, path: file(`${name}.conf`) },
      ];
      const planId = await lab.plan(steps as never, { environmentId: guarded });
      const run = await lab.start(planId);
      expect(run).toMatchObject({ status: 'PAUSED', pause: { reason: 'APPROVAL' } });
      const change = async () => {
        for (const at of [`/api/scripts/${scriptId}`, `/api/templates/${templateId}`]) {
          const content = at.includes('scripts') ? `echo second > ${file(`${name}.out`)}` : 'second\n';
          expect((await lab.api.patch(at, { content })).status).toBe(200);
        }
      };
      const approve = () => approver.api.post(`/api/executions/${run.id}/approve`, { digest: run.digest });
      if (when === 'before the approval') await change();
      expect((await approve()).status).toBe(200);
      if (when === 'after the approval') await change();
      await working(() => lab.settled(run.id));
      expect((await lab.get(run.id)).status).toBe('SUCCEEDED');
      expect([await lab.left(`${name}.out`), await lab.left(`${name}.conf`)]).toEqual(['first\n', 'first\n']);
    },
  );
});
