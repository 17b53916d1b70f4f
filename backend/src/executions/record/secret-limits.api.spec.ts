import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TEST_MASTER_KEY } from '../../../test/support/master-key.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { sealValue } from '../../common/crypto/envelope.js';
import { MAX_SECRET_BYTES, MAX_SECRET_LINES } from '../../variables/secret-rules.js';
import { SEALED_VARIABLES } from '../../environments/variables/variable-vault.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { toSealContext } from './run-secrets.js';

const LONG = 32_000;

let lab: RunLab;
beforeAll(async () => {
  lab = await startRunLab();
});
afterAll(() => lab.close());

const put = (environmentId: string, key: string, value: unknown, more: object = { secret: true }) =>
  lab.api.put<{ code: string; errors?: { code: string; path: string; message: string }[] }>(
    `/api/environments/${environmentId}/variables/${key}`,
    { value, ...more },
  );
const planWith = (environmentId: string, type: 'secret' | 'string' = 'secret') =>
  lab.plan(['true'], { environmentId, variables: [{ name: 'GIVEN', type }] });
const start = (planId: string, more: object = {}) =>
  lab.api.post<ExecutionView & { code: string; errors: { code: string; path: string; message: string }[] }>(
    '/api/executions',
    { planId, execution_mode: 'auto', ...more },
  );

async function storeInDatabase(environmentId: string, key: string, value: string): Promise<void> {
  expect((await put(environmentId, key, 'long-enough')).status).toBe(200);
  const [row] = await lab.runward.database.query<{ id: string; version: number }>(
    'select id, version from environment_variables where environment_id = $1 and key = $2',
    [environmentId, key],
  );
  const context = SEALED_VARIABLES.context(lab.admin.tenantId, row?.id ?? '', row?.version ?? 0);
  const sealed = sealValue(TEST_MASTER_KEY, Buffer.from(JSON.stringify(value)), context);
  await lab.runward.database.query('update environment_variables set sealed_value = $2 where id = $1', [
    row?.id,
    sealed,
  ]);
}

describe('a secret that is too short for masking', () => {
  it.each([
    ['ab', {}],
    ['', {}],
    ['  a \n', {}],
    [7, { type: 'integer' }],
    [['a'], { type: 'list' }],
  ])('is refused when it is saved, with the shortest length that can be masked: %j', async (value, more) => {
    const answer = await put(lab.environmentId, 'SHORT', value, { secret: true, ...more });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ path: '/value', code: 'secret_too_short' }]);
    expect(answer.text).toContain('at least 3 bytes');
  });

  it('is accepted as a plain value, and as a secret from three bytes', async () => {
    expect((await put(lab.environmentId, 'SHORT', 'ab', {})).status).toBe(200);
    expect((await put(lab.environmentId, 'SHORT', 'abc')).status).toBe(200);
    expect((await put(lab.environmentId, 'SHORT', 'ab')).status).toBe(400);
  });

  it('is refused in a start request, also when only the environment declares it as secret', async () => {
    const declared = await start(await planWith(lab.environmentId), { variables: { GIVEN: 'ab' } });
    expect(declared.status).toBe(400);
    expect(declared.body.errors).toMatchObject([{ path: '/variables/GIVEN', code: 'secret_too_short' }]);
    const environmentId = await lab.environment('says-secret');
    expect((await put(environmentId, 'GIVEN', 'long-enough')).status).toBe(200);
    const byEnvironment = await start(await planWith(environmentId, 'string'), { variables: { GIVEN: 'ab' } });
    expect(byEnvironment.status).toBe(400);
    expect(byEnvironment.body.errors).toMatchObject([{ code: 'secret_too_short' }]);
  });

  it('blocks starts when it was saved before, and is named', async () => {
    const environmentId = await lab.environment('short-before');
    await storeInDatabase(environmentId, 'PIN', 'ab');
    const answer = await start(await planWith(environmentId));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ path: '/variables/PIN', code: 'secret_too_short' }]);
    expect(answer.text).toContain('comes from the environment');
  });

  it('blocks a rerun with the frozen values', async () => {
    const planId = await planWith(lab.environmentId);
    const { id } = (await start(planId, { variables: { GIVEN: 'long-enough' } })).body;
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    const sealed = sealValue(
      TEST_MASTER_KEY,
      Buffer.from(JSON.stringify({ GIVEN: 'ab' })),
      toSealContext(lab.admin.tenantId, id),
    );
    await lab.runward.database.query('update executions set sealed_secrets = $2 where id = $1', [id, sealed]);
    const same = await lab.api.post<{ code: string }>(`/api/executions/${id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
    });
    expect({ status: same.status, code: same.body.code }).toEqual({ status: 409, code: 'secret_too_short' });
    const current = await lab.api.post<{ errors: object[] }>(`/api/executions/${id}/rerun`, {
      hosts: 'all',
      snapshot: 'current',
    });
    expect(current.body.errors).toMatchObject([{ path: '/variables/GIVEN', code: 'secret_too_short' }]);
  });
});

describe('more secrets than can be masked', () => {
  it('are refused on save, and the largest are named', async () => {
    const environmentId = await lab.environment('full');
    for (let at = 0; at < Math.floor(MAX_SECRET_BYTES / LONG); at += 1)
      expect((await put(environmentId, `BIG_${at}`, 'x'.repeat(LONG))).status).toBe(200);
    const excessAnswer = await put(environmentId, 'MORE', 'x'.repeat(LONG));
    expect({ status: excessAnswer.status, code: excessAnswer.body.code }).toEqual({
      status: 409,
      code: 'secrets_too_large',
    });
    expect(excessAnswer.text).toMatch(/MORE|BIG_/);
    expect((await put(environmentId, 'BIG_0', 'replaced by a short one')).status).toBe(200);
    expect((await put(environmentId, 'MORE', 'x'.repeat(LONG))).status).toBe(200);
    expect((await put(environmentId, 'PLAIN', 'x'.repeat(LONG), {})).status).toBe(200);
  });

  it('are refused when they have too many lines', async () => {
    const environmentId = await lab.environment('many-lines');
    const lines = (count: number) => Array.from({ length: count }, () => 'ab').join('\n');
    expect((await put(environmentId, 'LINES', lines(MAX_SECRET_LINES))).status).toBe(200);
    const excessAnswer = await put(environmentId, 'ONE_MORE', 'one more line');
    expect({ status: excessAnswer.status, code: excessAnswer.body.code }).toEqual({
      status: 409,
      code: 'secrets_too_large',
    });
  });

  it('cannot be created by two concurrent saves', async () => {
    const environmentId = await lab.environment('race');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => put(environmentId, `BIG_${at}`, 'x'.repeat(LONG))),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(8).fill(200), ...Array<number>(4).fill(409)]);
  });

  it('block a start, whether it adds them or they were saved before', async () => {
    const environmentId = await lab.environment('nearly-full');
    for (let at = 0; at < 8; at += 1)
      expect((await put(environmentId, `BIG_${at}`, 'x'.repeat(LONG))).status).toBe(200);
    const planId = await planWith(environmentId);
    // The secrets were accepted: the start fails only because there is no server.
    expect((await start(planId)).body.code).toBe('no_targets');
    const excessAnswer = await start(planId, { variables: { GIVEN: 'x'.repeat(LONG) } });
    expect(excessAnswer.status).toBe(400);
    expect(excessAnswer.body.errors).toMatchObject([{ path: '/variables', code: 'secrets_too_large' }]);
    await storeInDatabase(environmentId, 'LEGACY', 'x'.repeat(LONG));
    const before = await start(planId);
    expect(before.status).toBe(400);
    expect(before.body.errors).toMatchObject([{ path: '/variables', code: 'secrets_too_large' }]);
  });
});

describe('a server secret', () => {
  it('is refused on save when it is too short or too large, with the reason', async () => {
    const serverId = lab.servers[0]?.id ?? '';
    const set = (key: string, value: unknown, more: object = { secret: true }) =>
      lab.api.put<{ code: string; errors: object[] }>(`/api/inventory/servers/${serverId}/variables/${key}`, {
        value,
        ...more,
      });
    const short = await set('SHORT', 'ab');
    expect([short.status, short.body.errors]).toMatchObject([400, [{ path: '/value', code: 'secret_too_short' }]]);
    expect((await set('SHORT', 'abc')).status).toBe(200);
    expect((await set('SHORT', 'ab')).status).toBe(400);
    expect((await set('LARGE', 'x'.repeat(LONG))).status).toBe(200);
    for (let at = 1; at < 8; at += 1) expect((await set(`LARGE_${at}`, 'x'.repeat(LONG))).status).toBe(200);
    const excessAnswer = await set('LARGE_8', 'x'.repeat(LONG));
    expect([excessAnswer.status, excessAnswer.body.code]).toEqual([409, 'variables_too_large']);
    const lines = await set('LARGE', Array.from({ length: MAX_SECRET_LINES + 1 }, () => 'ab').join('\n'));
    expect([lines.status, lines.body.code]).toEqual([409, 'secrets_too_large']);
    const planId = await lab.plan(['true'], { variables: [{ name: 'LARGE', type: 'string' }] });
    const started = await start(planId, { variables: { LARGE: 'ab' } });
    expect(started.body.errors ?? started.status).toMatchObject([
      { path: '/variables/LARGE', code: 'secret_too_short' },
    ]);
  });
});
