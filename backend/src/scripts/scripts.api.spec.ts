import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import type { ScriptRevisionListView, ScriptRevisionView, ScriptView } from './scripts.view.js';

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
});
afterAll(() => runward.close());

interface ProblemBody {
  code: string;
  errors?: { path: string; code: string }[];
  referrers?: { type: string; id: string; name: string }[];
}

const create = async (name: string, content = 'echo hello\n', more: object = {}) => {
  const answer = await operator.api.post<ScriptView>('/api/scripts', { name, content, ...more });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
};

describe('a script', () => {
  it('is created by an operator and read by a viewer', async () => {
    const made = await create('first', 'echo "$1"\n', { description: 'says it' });
    expect(made).toMatchObject({
      name: 'first',
      description: 'says it',
      content: 'echo "$1"\n',
      interpreter: null,
      program: { words: ['/bin/sh'], source: 'default' },
      warnings: [],
      revision: 1,
      bytes: 10,
      version: 1,
    });
    const read = await viewer.api.get<ScriptView>(`/api/scripts/${made.id}`);
    expect(read.body).toEqual(made);
    expect(read.headers.get('etag')).toBe('"1"');
    const list = await viewer.api.get<{ items: object[] }>('/api/scripts?q=FIRST');
    const { content: _, warnings: __, ...summary } = made;
    expect(list.body.items).toEqual([summary]);
  });

  it('gets a revision with each new content or interpreter, and none with a new name', async () => {
    const { id } = await create('revised', 'one');
    const path = `/api/scripts/${id}`;
    const change = async (body: object) => (await operator.api.patch<ScriptView>(path, body)).body;
    expect(await change({ name: 'revised-again', description: 'x' })).toMatchObject({ revision: 1, version: 2 });
    expect(await change({ content: 'two' })).toMatchObject({ revision: 2, version: 3, interpreter: null });
    expect(await change({ interpreter: 'python3' })).toMatchObject({ revision: 3, content: 'two' });
    expect(await change({ interpreter: 'python3', content: 'two' })).toMatchObject({ revision: 3, version: 5 });
    const list = await viewer.api.get<ScriptRevisionListView>(`${path}/revisions`);
    expect(list.body.items.map(({ number, interpreter, bytes }) => [number, interpreter, bytes])).toEqual([
      [3, 'python3', 3],
      [2, null, 3],
      [1, null, 3],
    ]);
    expect(list.text).not.toContain('"content"');
    const first = await viewer.api.get<ScriptRevisionView>(`${path}/revisions/1`);
    expect(first.body).toMatchObject({ number: 1, content: 'one', createdBy: { id: operator.userId } });
    for (const number of ['4', '0', 'x', '01']) {
      expect((await viewer.api.get(`${path}/revisions/${number}`)).status).toBe(404);
    }
  });

  it('reports its interpreter and its mistakes, and is saved despite them', async () => {
    const made = await create('first-line', '#!/usr/bin/env -S python3 -u\nprint()\n');
    expect(made).toMatchObject({
      interpreter: null,
      program: { words: ['/usr/bin/env', 'python3', '-u'], source: 'first_line' },
      warnings: [],
    });
    const path = `/api/scripts/${made.id}`;
    const { body: listed } = await viewer.api.get<{ items: ScriptView[] }>('/api/scripts?name=first-line');
    expect(listed.items[0]?.program).toEqual(made.program);
    const change = async (body: object) => (await operator.api.patch<ScriptView>(path, body)).body;
    const contradicted = await change({ interpreter: '/bin/sh', content: `\uFEFF${made.content}x\r\n` });
    expect(contradicted.program).toEqual({ words: ['/bin/sh'], source: 'interpreter' });
    expect(contradicted.warnings.map(({ reason }) => reason.code)).toEqual([
      'interpreter_contradiction',
      'byte_order_mark',
      'windows_line_ends',
    ]);
    expect((await viewer.api.get<ScriptView>(path)).body.warnings).toEqual(contradicted.warnings);
    const back = await change({ interpreter: null, content: made.content });
    expect(back).toMatchObject({ interpreter: null, program: made.program, warnings: [], revision: 3 });
    const long = await create('long-line', `#!/bin/bash ${'x'.repeat(5000)}\n`);
    const { body: again } = await viewer.api.get<{ items: ScriptView[] }>('/api/scripts?name=long-line');
    expect(again.items[0]?.program).toEqual(long.program);
  });

  it('is not changed or deleted when another member has saved it since', async () => {
    const { id } = await create('contended', 'one');
    const path = `/api/scripts/${id}`;
    expect((await operator.api.patch(path, { content: 'two' }, { 'if-match': '"1"' })).status).toBe(200);
    expect((await operator.api.patch(path, { content: 'three' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await operator.api.delete(path, { 'if-match': '"1"' })).status).toBe(412);
    expect((await operator.api.delete(path, { 'if-match': '"2"' })).status).toBe(204);
    expect((await operator.api.get(path)).status).toBe(404);
  });

  it('has a unique name, ignoring case', async () => {
    await create('taken');
    const again = await operator.api.post<ProblemBody>('/api/scripts', { name: 'TAKEN', content: 'x' });
    expect([again.status, again.body.code]).toEqual([409, 'duplicate_name']);
  });

  it('is refused with invalid content or interpreter', async () => {
    const refuse = async (body: object) =>
      (await operator.api.post<ProblemBody>('/api/scripts', { name: 'refused', content: 'x', ...body })).body.errors;
    expect(await refuse({ content: 'é'.repeat(131_073) })).toEqual([
      expect.objectContaining({ path: '/content', code: 'too_long' }),
    ]);
    expect(await refuse({ content: ' \n' })).toEqual([expect.objectContaining({ path: '/content' })]);
    expect(await refuse({ source: { gitSourceId: 'x' } })).toEqual([expect.objectContaining({ path: '/source/path' })]);
    for (const interpreter of ['bash -e', '-x', 'bin/sh', '/', '/bin/', 'a;b', '$(x)']) {
      expect(await refuse({ interpreter })).toEqual([
        expect.objectContaining({ path: '/interpreter', code: 'invalid_interpreter' }),
      ]);
    }
    expect(await refuse({ interpreter: '/bin/a\nb' })).toEqual([
      expect.objectContaining({ path: '/interpreter', code: 'forbidden_character' }),
    ]);
    await create('largest', 'é'.repeat(131_072));
  });

  it('leaves an audit entry for each change, with hashes of the contents', async () => {
    const { id } = await create('audited', 'a-line-of-the-script');
    await operator.api.patch(`/api/scripts/${id}`, { content: 'other' });
    await operator.api.delete(`/api/scripts/${id}`);
    const { body, text } = await admin.api.get<{ items: { action: string; after: object | null }[] }>(
      `/api/audit-logs?resourceId=${id}`,
    );
    expect(body.items.map(({ action }) => action)).toEqual(['script.delete', 'script.update', 'script.create']);
    expect(text).toMatch(/"contentSha256":"[0-9a-f]{64}"/);
    expect(text).not.toContain('a-line-of-the-script');
  });
});
