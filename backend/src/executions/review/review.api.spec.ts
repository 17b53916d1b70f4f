import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { comparable } from '../../../test/support/environment-scene.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { newId } from '../../common/ids.js';
import type { ReviewView } from '../contract/review.view.js';

const SECRET = 'k3str3l/Review+secret';

let lab: RunLab;
let planId: string;

const review = (id: string, api = lab.api) => api.get<ReviewView>(`/api/executions/${id}/review`);
// No worker runs in this test: accepted runs do not advance, and keep their guard keys.
const start = async (more: Record<string, unknown> = {}) => (await lab.start(planId, more)).id;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  const variables = `/api/environments/${lab.environmentId}/variables`;
  await lab.api.put(`${variables}/TOKEN`, { value: SECRET, secret: true });
  planId = await lab.plan(
    [
      {
        key: 'deploy',
        command: 'echo {{ RELEASE }} {{ TOKEN }}',
        targets: 'role=web',
        become: 'root',
        when: 'RELEASE',
      },
      { key: 'look', type: 'gate', message: 'Is the backup done?' },
      { key: 'port', type: 'wait', port: 8080 },
    ],
    {
      variables: [
        { name: 'RELEASE', type: 'string', required: true },
        { name: 'TOKEN', type: 'secret' },
      ],
    },
  );
});
afterEach(() => lab.runward.database.query('delete from guard_keys'));
afterAll(() => lab.close());

describe('the evidence for an approval', () => {
  it('lists each host with address and host key, and each step as it will run', async () => {
    const id = await start({ variables: { RELEASE: "v1'; reboot" } });
    const { status, body } = await review(id);
    expect(status).toBe(200);
    const { sshd } = lab.hosts;
    expect(body.hostCount).toBe(2);
    expect(body.hosts).toEqual(
      lab.servers.map((server, index) => ({
        serverId: server.id,
        name: server.name,
        address: `${sshd.user}@127.0.1.${index + 1}:${sshd.port}`,
        variables: {},
        secretNames: [],
        hostKeyFingerprint: expect.stringMatching(/^SHA256:/),
      })),
    );
    expect(body.steps).toMatchObject([
      { key: 'deploy', type: 'command', rendered: true, become: 'root', when: 'RELEASE', hostCount: 1 },
      { key: 'look', type: 'gate', text: 'Is the backup done?', hostCount: 0 },
      { key: 'port', type: 'wait', text: 'port 8080', hostCount: 2 },
    ]);
    expect(body.steps[0]?.text).toContain(`'v1'\\''; reboot'`);
    expect(body.digest).toBe((await lab.get(id)).digest);
  });

  it('contains everything that a step starts, its directory and its settings', async () => {
    const more = {
      unless: 'test -e /srv/{{ RELEASE }} && echo {{ TOKEN }}',
      workingDirectory: '/srv/app',
      environment: { NODE_OPTIONS: '--inspect', HTTP_PROXY: 'http://proxy' },
    };
    const id = await lab.plan([{ key: 'deploy', command: 'make', ...more }], {
      variables: [
        { name: 'RELEASE', type: 'string', required: true },
        { name: 'TOKEN', type: 'secret' },
      ],
    });
    const { body } = await review((await lab.start(id, { variables: { RELEASE: 'v 1' } })).id);
    expect(body.steps[0]).toMatchObject({ rendered: true });
    expect(body.steps[0]?.text.split('\n')).toEqual([
      'make',
      '',
      'unless: test -e /srv/\'v 1\' && echo "${TOKEN}"',
      'workingDirectory: /srv/app',
      'environment: HTTP_PROXY=http://proxy',
      'environment: NODE_OPTIONS=--inspect',
    ]);
  });

  it('names secrets without their values', async () => {
    const id = await start({ variables: { RELEASE: 'v1' } });
    const { body, text } = await review(id);
    expect(body.secretNames).toEqual(['TOKEN']);
    expect(body.variables).toEqual({ RELEASE: 'v1' });
    expect(body.steps[0]?.text).toBe('echo \'v1\' "${TOKEN}"');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(JSON.stringify(SECRET).slice(1, -1));
  });
});

describe('the baseline run', () => {
  const succeeded = async (more: Record<string, unknown>, execution_mode = 'auto') => {
    const id = await start({ variables: { RELEASE: 'v1' }, execution_mode, ...more });
    await lab.runward.database.query(
      `update executions set status = 'SUCCEEDED', started_at = now(), finished_at = now() where id = $1`,
      [id],
    );
    await lab.runward.database.query('delete from guard_keys where execution_id = $1', [id]);
    return id;
  };

  it('does not exist before the first success', async () => {
    const id = await start({ variables: { RELEASE: 'v1' } });
    expect((await review(id)).body).toMatchObject({ comparedTo: null, differences: [], moreDifferences: 0 });
  });

  it('is the last successful one there: no dry run, no later run, no run of another environment', async () => {
    const first = await succeeded({});
    const second = await succeeded({ variables: { RELEASE: 'v2' } });
    await succeeded({ variables: { RELEASE: 'v3' } }, 'dry_run');
    const environmentId = await lab.environment('elsewhere');
    await lab.server({ environmentId, hostname: '127.0.1.9' });
    await succeeded({ environmentId });
    const id = await start({ variables: { RELEASE: 'v4' } });
    const { body } = await review(id);
    expect(body.comparedTo?.executionId).toBe(second);
    expect(body.differences).toEqual([
      { kind: 'variable', name: 'RELEASE', change: 'changed', before: 'v2', after: 'v4' },
    ]);
    expect((await review(second)).body.comparedTo?.executionId).toBe(first);
  });

  it('reveals only that a secret was changed', async () => {
    await succeeded({});
    const variables = `/api/environments/${lab.environmentId}/variables`;
    await lab.api.put(`${variables}/TOKEN`, { value: `${SECRET}-2`, secret: true });
    const id = await start({ variables: { RELEASE: 'v1' } });
    const { body, text } = await review(id);
    expect(body.differences).toEqual([{ kind: 'secret', name: 'TOKEN', change: 'changed', before: null, after: null }]);
    expect(text).not.toContain(SECRET);
  });
});

describe('the evidence of a run that the caller cannot see', () => {
  it('answers 404, byte for byte', async () => {
    const id = await start({ variables: { RELEASE: 'v1' } });
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { access: 'restricted' });
    const outsider = await lab.runward.member(lab.admin, 'operator');
    const [hidden, random] = [await review(id, outsider.api), await review(newId(), outsider.api)];
    expect(hidden.status).toBe(404);
    expect(comparable(hidden)).toEqual(comparable(random));
  });
});
