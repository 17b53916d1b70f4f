import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, afterEach, describe, expect, it } from '@jest/globals';
import { STEP_DEFAULTS } from '../../plans/steps/types/step-types.js';
import type { ScriptStep } from '../../plans/steps/types/script.step.js';
import type { TemplateStep } from '../../plans/steps/types/template.step.js';
import { composeScript } from '../../plans/shell/environment-script.js';
import type { CommandValue } from '../../plans/rendering/render-command.js';
import { StepTrailer } from '../../plans/shell/trailer.js';
import { ThreadPool } from '../../common/threads/thread-pool.js';
import { StepRenderer } from '../../plans/rendering/step-renderer.js';
import { TemplateRenderer } from '../../templates/rendering/template-renderer.js';
import { eventually } from '../../../test/support/eventually.js';
import { renderPresentFileCommand, parsePresentFile } from './shell/present-file.js';
import type { StartingStep } from './types/run-step-types.js';
import { renderStepCommand, findStepFactNeeds } from './step-command.js';

const shells = ['sh', 'dash', 'bash', 'busybox'].filter(
  (shell) => spawnSync(shell, [...(shell === 'busybox' ? ['sh'] : []), '-c', ':']).status === 0,
);
const MARK = 'mark_0123456789abcdef';
const pool = new ThreadPool();
const renderer = new StepRenderer(pool, new TemplateRenderer(pool)).createStepRendering({
  tenantId: 'acme',
  asks: 'run',
});
afterAll(() => pool.onModuleDestroy());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "runward step 'x' $y "));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const VALUES: CommandValue[] = [
  { name: 'region', value: `eu "1" '2' $(exit 9)`, secret: false },
  { name: 'hosts', value: ['a', 'b c'], secret: false },
  { name: 'PASSWORD', value: 'hunter"2', secret: true },
];
const script = (step: Partial<ScriptStep> = {}): ScriptStep => ({
  ...STEP_DEFAULTS.script,
  key: 's',
  name: 's',
  scriptId: 'one',
  ...step,
});
const template = (file: string, step: Partial<TemplateStep> = {}): TemplateStep => ({
  ...STEP_DEFAULTS.template,
  key: 't',
  name: 't',
  templateId: 'one',
  path: file,
  ...step,
});

interface Content {
  content: string;
  interpreter?: string;
}

async function textOf(step: StartingStep, { content, interpreter = '/bin/sh' }: Content): Promise<string> {
  const kept = { name: 'kept', revision: 1, content };
  const library = { scripts: { one: { ...kept, interpreter } }, templates: { one: kept } };
  const facts = { host: { name: 'web-1', tags: { role: 'web' } }, steps: {} };
  const command = await renderStepCommand(step, { library, values: VALUES, renderer }, facts);
  const exports = VALUES.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
  return composeScript({ ...command, exports, mark: MARK });
}

async function run(
  shell: string,
  step: StartingStep,
  content: Content,
  env: NodeJS.ProcessEnv = {},
  user: { uid?: number; gid?: number } = {},
) {
  const ended = spawnSync(shell, [...(shell === 'busybox' ? ['sh'] : []), '-s'], {
    input: await textOf(step, content),
    timeout: 20_000,
    env: { PATH: process.env.PATH, TMPDIR: folder, ...env },
    ...user,
  });
  const trailer = new StepTrailer(MARK);
  const stdout = Buffer.concat([trailer.readBytes(ended.stdout), trailer.readEnd()]).toString();
  const { skipped, changed, outputs } = trailer;
  return { status: ended.status, stdout, stderr: ended.stderr.toString(), skipped, changed, outputs };
}

describe.each(shells)('a script step in %s', (shell) => {
  it('passes script and arguments byte for byte, and leaves no file', async () => {
    const content = `printf '[%s]' "$@" 'it'\\''s' "$0"\n# é ‹ \\ %s $(exit 9) \`exit 9\`\nls -l "$0" | cut -c1-10`;
    const args = ['plain', '', `a b 'c' "d" $e\n*`, '{{ region }}', '--x={{ hosts }}', '%s\\n', '-e'];
    const ended = await run(shell, script({ arguments: args }), { content });
    const [, ...shown] = /^((?:.|\n)*)\[([^\]]*)\]-rwx------\n$/.exec(ended.stdout) ?? [];
    const expected = ['plain', '', `a b 'c' "d" $e\n*`, `eu "1" '2' $(exit 9)`, '--x=a b c', '%s\\n', '-e', "it's"];
    expect(shown[0]).toBe(expected.map((text) => `[${text}]`).join(''));
    expect(shown[1]?.startsWith(folder)).toBe(true);
    expect([ended.status, ended.stderr, readdirSync(folder)]).toEqual([0, '', []]);
  });

  it('ends with the status of the script, and removes the file then too', async () => {
    expect(await run(shell, script(), { content: 'exit 7' })).toMatchObject({ status: 7, changed: null });
    expect(await run(shell, script(), { content: 'kill -9 $$' })).toMatchObject({ status: 137 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("uses the step's interpreter, or else the script's", async () => {
    const content = 'import sys; print(sys.argv[1:])' as const;
    const node = 'console.log(process.argv.slice(2).join())';
    expect(
      (await run(shell, script({ arguments: ['a'] }), { content: node, interpreter: process.execPath })).stdout,
    ).toBe('a\n');
    const own = await run(shell, script({ interpreter: 'cat' }), { content });
    expect(own.stdout).toBe(content);
    const missing = await run(shell, script({ interpreter: 'no-such-program' }), { content });
    expect(missing.status).toBe(127);
  });

  it('exports variables, sets outputs and can be skipped, like a command', async () => {
    const content = 'echo "$PASSWORD"; echo "version=7" >"$RUNWARD_OUTPUT"; umask';
    const ended = await run(shell, script({ outputs: ['version'] }), { content });
    expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^hunter"2\n0?022\n$/) });
    expect(ended.outputs?.toString()).toBe('version=7\n');
    expect(await run(shell, script({ unless: 'true' }), { content })).toMatchObject({ skipped: true, stdout: '' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes the file when a signal ends it', async () => {
    const text = await textOf(script(), { content: 'touch "$TMPDIR/begun"; sleep 30' });
    const child = spawn(shell, [...(shell === 'busybox' ? ['sh'] : []), '-s'], {
      detached: true,
      env: { PATH: process.env.PATH, TMPDIR: folder },
    });
    child.stdin.end(text);
    await eventually('the script runs', () => existsSync(path.join(folder, 'begun')));
    const ended = new Promise((resolve) => child.on('close', resolve));
    process.kill(-(child.pid as number), 'SIGTERM');
    await ended;
    await eventually('the file is gone', () => readdirSync(folder).join() === 'begun');
  });

  it('does not run if the file cannot be created', async () => {
    const ended = await run(shell, script(), { content: 'echo ran' }, { TMPDIR: '/nowhere' });
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toContain('The script was not run.');
  });
});

describe.each(shells)('a template step in %s', (shell) => {
  const at = (name: string) => path.join(folder, name);
  const modeOf = (file: string) => (statSync(file).mode & 0o7777).toString(8);

  it('writes a file byte for byte and reports a change, but none the second time', async () => {
    const step = template(at('app.conf'));
    const content = `a={{ region }}\n\tb=%s\\n 'x' "y" $z \`é‹\`\n\n`;
    const first = await run(shell, step, { content });
    expect(first).toMatchObject({ status: 0, changed: true, stderr: '' });
    expect(readFileSync(step.path, 'utf8')).toBe(content.replace('{{ region }}', String(VALUES[0]?.value)));
    expect(modeOf(step.path)).toBe('644');
    const before = statSync(step.path);
    const second = await run(shell, step, { content });
    expect(second).toMatchObject({ status: 0, changed: false, stderr: '' });
    expect(second.stdout).toBe(`${step.path} is as it should be.\n`);
    expect([statSync(step.path).ino, statSync(step.path).mtimeMs]).toEqual([before.ino, before.mtimeMs]);
    expect(readdirSync(folder)).toEqual(['app.conf']);
  });

  it('writes the value of a secret to the file, and displays it nowhere', async () => {
    const step = template(at('secret.conf'), { mode: '0600' });
    const ended = await run(shell, step, { content: 'p={{ PASSWORD }} {{ host.name }}' });
    expect(readFileSync(step.path, 'utf8')).toBe('p=hunter"2 web-1');
    expect(ended.stdout + ended.stderr).not.toContain('hunter');
    expect(modeOf(step.path)).toBe('600');
  });

  it('keeps the mode of a file that it replaces, even if it is read-only', async () => {
    const file = at('kept');
    for (const mode of [0o440, 0o751, 0o644]) {
      writeFileSync(file, `before ${mode}`);
      chmodSync(file, mode);
      expect(await run(shell, template(file), { content: `after ${mode}` })).toMatchObject({
        status: 0,
        changed: true,
      });
      expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual([`after ${mode}`, mode.toString(8)]);
      rmSync(file);
    }
  });

  it('changes only the mode if the content is right', async () => {
    const file = at('mode');
    writeFileSync(file, 'x');
    chmodSync(file, 0o600);
    const step = template(file, { mode: '0640', owner: String(process.getuid?.()), group: String(process.getgid?.()) });
    expect(await run(shell, step, { content: 'x' })).toMatchObject({ status: 0, changed: true });
    expect(modeOf(file)).toBe('640');
    expect(await run(shell, step, { content: 'x' })).toMatchObject({ status: 0, changed: false });
    expect(await run(shell, step, { content: 'y' })).toMatchObject({ status: 0, changed: true });
    expect(modeOf(file)).toBe('640');
  });

  it('leaves the file unchanged if validate rejects the new one', async () => {
    const file = at('checked');
    writeFileSync(file, 'old');
    const refused = await run(shell, template(file, { validate: 'echo looked; exec grep -q good %s', backup: true }), {
      content: 'bad',
    });
    expect(refused).toMatchObject({ status: 1, stdout: 'looked\n', changed: null });
    expect(refused.stderr).toContain('did not accept the new file (exit code 1)');
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old', ['checked']]);
    const taken = await run(shell, template(file, { validate: 'grep -q good %s' }), { content: 'good' });
    expect(taken).toMatchObject({ status: 0, changed: true });
    expect(await run(shell, template(at('new'), { validate: 'false %s' }), { content: 'x' })).toMatchObject({
      status: 1,
    });
    expect(readdirSync(folder)).toEqual(['checked']);
  });

  it('sets the mode at creation, so that no other user can read the file before', async () => {
    const tools = at('tools');
    mkdirSync(tools);
    writeFileSync(path.join(tools, 'chmod'), `#!/bin/sh\necho "$1" >>"$TMPDIR/modes"\nexec /bin/chmod "$@"\n`, {
      mode: 0o755,
    });
    for (const content of ['new', 'changed']) {
      const env = { PATH: `${tools}:${process.env.PATH}` };
      expect(await run(shell, template(at('closed'), { mode: '0600' }), { content }, env)).toMatchObject({ status: 0 });
      expect(modeOf(at('closed'))).toBe('600');
      expect(readFileSync(at('modes'), 'utf8')).toBe('0600\n');
      rmSync(at('modes'));
      chmodSync(at('closed'), 0o644);
    }
  });

  it('calls validate with the final mode of the file and the umask of the host', async () => {
    const step = template(at('shown'), { validate: 'ls -l %s | cut -c 1-10; umask' });
    for (const content of ['new', 'changed'])
      expect((await run(shell, step, { content })).stdout.replace(/0+22\n/, '022\n')).toContain('-rw-r--r--\n022\n');
    expect((await run(shell, { ...step, mode: '0640' }, { content: 'closed' })).stdout).toContain('-rw-r-----\n');
  });

  it('keeps an existing entry at the path of the new file, and follows no link there', async () => {
    writeFileSync(at('theirs'), 'kept');
    for (const stand of [
      () => writeFileSync(at('.runward.x'), 'kept'),
      () => symlinkSync('theirs', at('.runward.x')),
    ]) {
      stand();
      const ended = await run(shell, template(at('file')), { content: 'new' }, { RUNWARD_DISPATCH_ID: 'x' });
      expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('may not make files in')]);
      expect([readFileSync(at('.runward.x'), 'utf8'), readFileSync(at('theirs'), 'utf8')]).toEqual(['kept', 'kept']);
      rmSync(at('.runward.x'));
    }
    expect(readdirSync(folder)).toEqual(['theirs']);
  });

  it('keeps a backup of the replaced file, with its mode', async () => {
    const file = at('backed');
    writeFileSync(file, 'old');
    chmodSync(file, 0o600);
    const ended = await run(shell, template(file, { backup: true }), { content: 'new' });
    expect(ended).toMatchObject({ status: 0, changed: true });
    const [, backup] = readdirSync(folder).sort();
    expect(backup).toMatch(/^backed\.\d{8}T\d{6}Z\.bak$/);
    expect([readFileSync(at(backup ?? ''), 'utf8'), modeOf(at(backup ?? ''))]).toEqual(['old', '600']);
    expect((await run(shell, template(file, { backup: true }), { content: 'new' })).changed).toBe(false);
    expect(readdirSync(folder).length).toBe(2);
  });

  it('refuses links, directories and missing directories with a reason', async () => {
    writeFileSync(at('real'), 'old');
    symlinkSync(at('real'), at('link'));
    mkdirSync(at('directory'));
    const cases: [string, string][] = [
      [at('link'), 'is a symbolic link'],
      [at('directory'), 'is not a file'],
      [at('missing/file'), 'does not exist on this host'],
    ];
    for (const [file, reason] of cases) {
      const ended = await run(shell, template(file), { content: 'new' });
      expect([ended.status, ended.changed, ended.stderr]).toEqual([1, null, expect.stringContaining(reason)]);
    }
    expect(readFileSync(at('real'), 'utf8')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['directory', 'link', 'real']);
  });

  it('keeps the old file if a setting of the new one fails', async () => {
    writeFileSync(at('owned'), 'old');
    const ended = await run(shell, template(at('owned'), { owner: 'no-such-user-here' }), { content: 'new' });
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('The owner of') });
    expect([readFileSync(at('owned'), 'utf8'), readdirSync(folder)]).toEqual(['old', ['owned']]);
  });

  if (process.getuid?.() === 0) {
    const NOBODY = 65_534;
    const nobody = { uid: NOBODY, gid: NOBODY };

    it("keeps owner and mode of another user's file, or else leaves it unchanged", async () => {
      chmodSync(folder, 0o777);
      writeFileSync(at('theirs'), 'old');
      chownSync(at('theirs'), NOBODY, 0);
      chmodSync(at('theirs'), 0o604);
      expect(await run(shell, template(at('theirs')), { content: 'new' })).toMatchObject({ status: 0, changed: true });
      const kept = statSync(at('theirs'));
      expect([kept.uid, kept.gid, modeOf(at('theirs'))]).toEqual([NOBODY, 0, '604']);
      writeFileSync(at('mine'), 'old');
      const refused = await run(shell, template(at('mine')), { content: 'new' }, {}, nobody);
      expect(refused).toMatchObject({ status: 1, changed: null });
      expect(refused.stderr).toContain('could not be kept');
      expect([readFileSync(at('mine'), 'utf8'), readdirSync(folder).sort()]).toEqual(['old', ['mine', 'theirs']]);
    });

    it('reports a file that cannot be read or created', async () => {
      chmodSync(folder, 0o755);
      writeFileSync(at('closed'), 'old');
      chmodSync(at('closed'), 0o600);
      const unreadableResult = await run(shell, template(at('closed')), { content: 'new' }, {}, nobody);
      expect([unreadableResult.status, unreadableResult.stderr]).toEqual([
        1,
        expect.stringContaining('may not be read by the user nobody'),
      ]);
      const missingFolderResult = await run(shell, template(at('fresh')), { content: 'new' }, {}, nobody);
      expect([missingFolderResult.status, missingFolderResult.stderr]).toEqual([
        1,
        expect.stringContaining('may not make files in'),
      ]);
      expect(readdirSync(folder)).toEqual(['closed']);
    });

    it('writes as the user in become', async () => {
      chmodSync(folder, 0o777);
      const step = template(at('became'), { become: 'nobody', mode: '0600' });
      expect(await run(shell, step, { content: "it's {{ PASSWORD }}" })).toMatchObject({ status: 0, changed: true });
      expect(await run(shell, step, { content: "it's {{ PASSWORD }}" })).toMatchObject({ status: 0, changed: false });
      expect([statSync(at('became')).uid, modeOf(at('became'))]).toEqual([NOBODY, '600']);
      expect(readFileSync(at('became'), 'utf8')).toBe('it\'s hunter"2');
    });
  }

  it('writes large files', async () => {
    const content = `${"it's ".repeat(13_000)}\n`.repeat(4).slice(0, 262_144);
    expect(await run(shell, template(at('large')), { content })).toMatchObject({ status: 0, changed: true });
    expect(readFileSync(at('large'), 'utf8')).toBe(content);
  });

  it('reads the present content, for a dry run', () => {
    const look = (file: string) => {
      const input = composeScript({ command: renderPresentFileCommand(file), exports: [] });
      const ended = spawnSync(shell, [...(shell === 'busybox' ? ['sh'] : []), '-s'], {
        input,
        env: { PATH: process.env.PATH },
      });
      return parsePresentFile(file, ended.status, ended.stdout);
    };
    writeFileSync(at('small'), 'one\ntwo');
    chmodSync(at('small'), 0o640);
    const [uid, gid] = [process.getuid?.(), process.getgid?.()];
    const { username: user } = os.userInfo();
    const group = spawnSync('id', ['-gn']).stdout.toString().trim();
    const present = { state: 'present', cut: false, mode: '640', uid, gid, user, group };
    expect(look(at('small'))).toEqual({ ...present, content: Buffer.from('one\ntwo') });
    writeFileSync(at('large'), 'x'.repeat(300_000));
    expect(look(at('large'))).toMatchObject({ cut: true, content: Buffer.from('x'.repeat(262_144)) });
    expect(look(at('absent'))).toEqual({ state: 'absent' });
    expect(look(at('no/where'))).toMatchObject({ state: 'blocked', message: expect.stringContaining('directory') });
    expect(look(folder)).toMatchObject({ state: 'blocked' });
    expect(parsePresentFile('/x', 1, Buffer.alloc(0))).toBeNull();
  });
});

describe('the rendering of a step', () => {
  const sources = (content: string) => ({
    library: {
      scripts: { one: { name: 'a', revision: 1, interpreter: 'sh', content } },
      templates: { one: { name: 'a', revision: 1, content } },
    },
    values: VALUES,
    renderer,
  });

  it('reports which facts it needs', async () => {
    const needs = (step: StartingStep, content = '') => findStepFactNeeds(step, sources(content));
    expect(await needs(template('/a'), '{{ region }}')).toEqual({ host: false, steps: false });
    expect(await needs(template('/a'), '{{ host.name }}')).toEqual({ host: true, steps: false });
    expect(await needs(template('/a', { unless: 'test {{ steps.a.exitCode }} = 0' }))).toEqual({
      host: false,
      steps: true,
    });
    expect(await needs(script({ arguments: ['{{ host.tags.role }}'] }))).toEqual({ host: true, steps: false });
  });

  it('fails for a secret among the arguments, a missing value, and an invalid template', async () => {
    const code = async (step: StartingStep, content = '') =>
      renderStepCommand(step, sources(content)).then(
        () => 'none',
        (error: { name: string; code: string }) => `${error.name} ${error.code}`,
      );
    expect(await code(script({ arguments: ['{{ PASSWORD }}'] }))).toBe('CommandTemplateError secret_in_argument');
    expect(await code(script({ arguments: ['{{ nothing }}'] }))).toBe('CommandTemplateError unknown_variable');
    expect(await code(template('/a'), '{{ nothing }}')).toBe('CommandTemplateError undefined_variable');
    expect(await code(template('/a', { validate: "grep x '%s'" }), 'x')).toBe('CommandTemplateError unsafe_place');
    expect(await code(script({ scriptId: 'two' }))).toBe('CommandTemplateError script_missing');
    expect(await code(template('/a', { templateId: 'constructor' }))).toBe('CommandTemplateError template_missing');
  });
});
