import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { makeOneOfEach, type OneOfEach } from '../../test/support/one-of-each.js';
import type { RenderedTemplateView, TemplateRevisionView, TemplateView } from './templates.view.js';

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;
let records: OneOfEach;
let hidden: OneOfEach;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
  records = await makeOneOfEach(admin, 'granite');
  hidden = await makeOneOfEach(admin, 'quartz');
  await admin.api.patch(`/api/environments/${hidden.environmentId}`, { access: 'restricted' });
  const variables = `/api/environments/${records.environmentId}/variables`;
  await admin.api.put(`${variables}/port`, { value: 8080 });
  await admin.api.put(`${variables}/PASSWORD`, { value: 'hunter22', secret: true });
});
afterAll(() => runward.close());

interface ProblemBody {
  code: string;
  errors?: { path: string; code: string; message: string; line?: number; column?: number }[];
}

let count = 0;
const create = async (content: string) => {
  count += 1;
  const answer = await operator.api.post<TemplateView>('/api/templates', { name: `template-${count}`, content });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
};

describe('template', () => {
  it('has revisions, like a script', async () => {
    const made = await create('port {{ port }}\n');
    expect(made).toMatchObject({ content: 'port {{ port }}\n', revision: 1, bytes: 16 });
    expect(made).not.toHaveProperty('interpreter');
    const path = `/api/templates/${made.id}`;
    const changed = await operator.api.patch<TemplateView>(path, { content: '' });
    expect(changed.body).toMatchObject({ content: '', revision: 2, version: 2 });
    const first = await viewer.api.get<TemplateRevisionView>(`${path}/revisions/1`);
    expect(first.body).toMatchObject({ number: 1, content: 'port {{ port }}\n' });
    expect((await operator.api.delete(path)).status).toBe(204);
    expect((await operator.api.get(`${path}/revisions`)).status).toBe(404);
  });

  it('is refused if it contains Jinja, with all faults, their positions and Liquid forms', async () => {
    const content = "{% set n = cpus %}\nport {{ port | default(80) }}\n{{ 'a' if tls else 'b' }}";
    const { status, body } = await operator.api.post<ProblemBody>('/api/templates', { name: 'jinja', content });
    const { environmentId } = records;
    const preview = await viewer.api.post<ProblemBody>('/api/templates/render', { content, environmentId });
    const places = (faults: typeof body.errors) => faults?.map(({ line, column }) => [line, column]);
    expect([status, preview.status]).toEqual([400, 400]);
    for (const { errors } of [body, preview.body])
      expect(places(errors)).toEqual([
        [1, 1],
        [2, 14],
        [3, 4],
      ]);
    expect(body.errors?.map(({ message }) => message)).toEqual([
      'Line 1, column 1: Write {% assign n = cpus %} in place of {% set n = … %}.',
      'Line 2, column 14: Write | default: 80 in place of | default(80).',
      expect.stringContaining("{{ tls | ternary: 'a', 'b' }}"),
    ]);
  });

  it('is refused with the line if it is invalid', async () => {
    for (const content of ['a\n{% if x %}', 'a\n{{ x | shell }}', 'a\n{% include "x" %}', 'a\n{{ x']) {
      const { status, body } = await operator.api.post<ProblemBody>('/api/templates', { name: 'broken', content });
      expect([status, body.errors]).toEqual([
        400,
        [
          expect.objectContaining({
            path: '/content',
            code: 'invalid_template',
            message: expect.stringMatching(/^Line 2, column \d+: /),
          }),
        ],
      ]);
    }
  });
});

describe('preview of an unsaved template', () => {
  const render = (member: TestMember, body: object) =>
    member.api.post<RenderedTemplateView & ProblemBody>('/api/templates/render', {
      environmentId: records.environmentId,
      ...body,
    });

  it('equals the preview of a saved one, and saves nothing', async () => {
    const before = await viewer.api.get<{ items: unknown[] }>('/api/templates?limit=200');
    const content = '{{ host.name }} {{ PASSWORD }} {{ nobody }}';
    const { serverId } = records;
    const marked = await render(viewer, { content, serverId, unknown: 'mark' });
    const saved = await operator.api.post<{ id: string }>('/api/templates', { name: 'as-typed', content });
    const same = await viewer.api.post<RenderedTemplateView>(`/api/templates/${saved.body.id}/render`, {
      environmentId: records.environmentId,
      serverId,
      unknown: 'mark',
    });
    expect([marked.status, marked.body]).toEqual([200, same.body]);
    expect(marked.body.unknown).toEqual([expect.objectContaining({ name: 'nobody' })]);
    const after = await viewer.api.get<{ items: unknown[] }>('/api/templates?limit=200');
    expect(after.body.items).toHaveLength(before.body.items.length + 1);
  });

  it('reports the line of a fault, and requires content', async () => {
    const broken = await render(viewer, { content: 'a\n{% if x %}' });
    expect(broken.body.errors).toEqual([expect.objectContaining({ path: '/content', line: 2 })]);
    const without = await render(viewer, {});
    expect([without.status, without.body.errors?.[0]?.path]).toEqual([400, '/content']);
  });
});

describe('preview of a template', () => {
  const render = async (member: TestMember, content: string, body: object = {}) => {
    const { id } = await create(content);
    return member.api.post<RenderedTemplateView & ProblemBody>(`/api/templates/${id}/render`, {
      environmentId: records.environmentId,
      ...body,
    });
  };

  it('uses values of environment, server and request, and masks secrets', async () => {
    const content =
      '{{ host.name }} {{ host.tags.word }} {{ port }} {{ extra }} {{ PASSWORD }} {{ PASSWORD | b64encode }}';
    const { status, body } = await render(viewer, content, {
      serverId: records.serverId,
      variables: { extra: 'given', port: 9090 },
    });
    const mask = '‹secret PASSWORD›';
    expect([status, body.content]).toEqual([200, `granite-server granite 9090 given ${mask} ${mask}`]);
    expect(body.bytes).toBe(Buffer.byteLength(body.content));
  });

  it('neither replaces a secret by a request value nor reveals it in a condition', async () => {
    const given = await render(operator, '{{ PASSWORD }}', { variables: { PASSWORD: 'x' } });
    expect(given.body.content).toBe('‹secret PASSWORD›');
    const refused = await render(operator, '{% if PASSWORD == "hunter22" %}yes{% endif %}');
    expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([400, 'secret_in_expression']);
  });

  it('reports undefined variables', async () => {
    const { status, body } = await render(viewer, 'a\n{{ prot }}');
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          path: '',
          code: 'undefined_variable',
          line: 2,
          column: 4,
          message: expect.stringContaining('Line 2, column 4: there is no value for "prot"'),
        },
      ],
    ]);
  });

  it('prefers variables of the server to those of the environment, and masks its secrets', async () => {
    const variables = `/api/inventory/servers/${records.serverId}/variables`;
    await operator.api.put(`${variables}/port`, { value: 7070 });
    await operator.api.put(`${variables}/NODE_TOKEN`, { value: 'nodesecret1', secret: true });
    const { body } = await render(viewer, '{{ port }} {{ NODE_TOKEN }}', { serverId: records.serverId });
    expect(body.content).toBe('7070 ‹secret NODE_TOKEN›');
    const given = { serverId: records.serverId, variables: { port: 6060, NODE_TOKEN: 'x' } };
    expect((await render(viewer, '{{ port }} {{ NODE_TOKEN }}', given)).body.content).toBe('6060 ‹secret NODE_TOKEN›');
    for (const key of ['port', 'NODE_TOKEN']) await operator.api.delete(`${variables}/${key}`);
  });

  it('renders unsaved content and reports line and column of faults', async () => {
    expect((await render(viewer, 'saved', { content: 'typed {{ port }}' })).body.content).toBe('typed 8080');
    const { status, body } = await render(viewer, 'saved', { content: 'a\n  {{ port | uper }}' });
    expect([status, body.errors]).toEqual([
      400,
      [
        expect.objectContaining({
          path: '/content',
          code: 'invalid_template',
          line: 2,
          column: 3,
          message: expect.stringContaining('Did you mean "upper"?'),
        }),
      ],
    ]);
    const long = await render(viewer, 'saved', { content: 'ö'.repeat(200_000) });
    expect([long.status, long.body.errors?.[0]?.code]).toEqual([400, 'too_long']);
  });

  it('marks undefined names on request and renders the rest', async () => {
    const content = 'a {{ port }}\n{{ prot }} {{ prot.x | default: "d" }}{% if host.name == "x" %}{% endif %}';
    const { status, body } = await render(viewer, 'saved', { content, unknown: 'mark' });
    expect([status, body.content]).toEqual([200, 'a 8080\n‹no value for prot› d']);
    expect(body.unknown).toEqual([
      { name: 'prot', line: 2, column: 4 },
      { name: 'host', line: 2, column: expect.any(Number) },
    ]);
  });

  it('refuses servers and environments that the caller cannot see, and servers of other environments', async () => {
    const notFound = async (member: TestMember, body: object, path: string) => {
      const answer = await render(member, 'x', body);
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([404, path]);
    };
    await notFound(viewer, { environmentId: hidden.environmentId }, '/environmentId');
    await notFound(viewer, { serverId: hidden.serverId }, '/serverId');
    await notFound(admin, { serverId: hidden.serverId }, '/serverId');
  });
});
