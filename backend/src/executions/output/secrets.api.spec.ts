import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findInDatabase, placesOf } from '../../../test/support/canaries.js';
import { followEvents } from '../../../test/support/event-client.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';

const SECRET = 'c4n4ry/Tweet+Tweet-7fe1';
const PUBLIC_VALUE = 'n0t-a-secret-88aa';
const MASK = '‹secret password›';
const CUT = 9;

let lab: RunLab;
let run: ExecutionView;
let answers: Map<string, string>;

const forms = [SECRET, Buffer.from(SECRET).toString('base64'), encodeURIComponent(SECRET)];

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  await lab.runward.worker();
  const command = [
    `printf %s {{ password }} > ${lab.evidence}/quoted; printf %s "$password" > ${lab.evidence}/exported`,
    `tr '\\0' ' ' < /proc/$$/cmdline > ${lab.evidence}/cmdline`,
    `echo plain {{ password }} {{ open }}`,
    `echo "stderr $password" >&2`,
    `printf 'base64 %s\\n' "$(printf %s "$password" | base64)"`,
    `printf 'url %s\\n' "$(printf %s "$password" | sed 's|/|%2F|g; s|+|%2B|g')"`,
    `printf 'split %s' "$(printf %s "$password" | cut -c1-${CUT})"; sleep 0.6; printf '%s\\n' "$(printf %s "$password" | cut -c${CUT + 1}-)"`,
    `printf 'at the end %s' "$password"; exit 3`,
  ].join('\n');
  const planId = await lab.plan([{ key: 'leak', command, targets: 'name=web-1' }], {
    variables: [
      { name: 'password', type: 'secret', required: true },
      { name: 'open', type: 'string', default: '' },
      { name: 'spare', type: 'secret' },
    ],
  });
  const headers = { authorization: `Bearer ${lab.admin.token}` };
  const started = await lab.api.post<ExecutionView>(
    '/api/executions',
    { planId, execution_mode: 'auto', variables: { password: SECRET, open: PUBLIC_VALUE } },
    { 'idempotency-key': 'one' },
  );
  expect(started.status).toBe(201);
  const stream = await followEvents(`${lab.runward.url}/api/executions/${started.body.id}/stream`, headers);
  await stream.ended;
  run = await lab.settled(started.body.id);
  const path = `/api/executions/${run.id}`;
  answers = new Map([
    ['start', started.text],
    ['stream', stream.raw()],
    ['run', JSON.stringify(run)],
    ['results', (await lab.api.get(`${path}/results`)).text],
    ['output', (await lab.api.get(`${path}/output?limit=5000`)).text],
    ['download', await lab.text(run.id, lab.servers[0]?.id ?? '', 'leak')],
    ['plan', (await lab.api.get(`/api/plans/${planId}`)).text],
  ]);
});
afterAll(() => lab.close());

describe('a secret of a run', () => {
  it('reaches the command, quoted in its text and in its environment', async () => {
    expect(await lab.left('quoted')).toBe(SECRET);
    expect(await lab.left('exported')).toBe(SECRET);
    expect(run.status).toBe('FAILED');
  });

  it('is on no command line of the host', async () => {
    expect(await lab.left('cmdline')).toContain('sh');
    expect(await lab.left('cmdline')).not.toContain(SECRET);
  });

  it('is masked by its name in the output, in each form, also when written in two halves', () => {
    const lines = (answers.get('download') ?? '').split('\n');
    expect(lines.filter((line) => !line.startsWith('stderr')).map((line) => line.trim())).toEqual([
      `plain ${MASK} ${PUBLIC_VALUE}`,
      `base64 ${MASK}`,
      `url ${MASK}`,
      `split ${MASK}`,
      `at the end ${MASK}`,
    ]);
    expect(lines.find((line) => line.startsWith('stderr'))).toBe(`stderr ${MASK}`);
  });

  it('is listed masked among the values of the run, but not without a value', () => {
    expect(run.variables).toEqual({ open: PUBLIC_VALUE, password: MASK });
  });

  it.each(['start', 'stream', 'run', 'results', 'output', 'download', 'plan'])(
    'is in no form in this answer of the API: %s',
    (name) => {
      const answer = answers.get(name) ?? '';
      expect(answer.length).toBeGreaterThan(100);
      for (const secretForm of forms) expect(answer).not.toContain(secretForm);
      for (const half of [SECRET.slice(0, CUT), SECRET.slice(CUT)]) expect(answer).not.toContain(half);
    },
  );

  it('is nowhere in the database, unlike a normal value', async () => {
    const needles = [...forms, SECRET.slice(0, CUT), SECRET.slice(CUT)];
    expect(await findInDatabase(lab.runward.database, needles)).toEqual([]);
    const places = await placesOf(lab.runward.database, PUBLIC_VALUE);
    expect(places).toContain('public.output_chunks.data');
    expect(places).toContain('public.executions.snapshot');
  });

  it('is refused when it is useless: the error does not repeat the value', async () => {
    const answer = await lab.api.post('/api/executions', {
      planId: run.planId,
      execution_mode: 'auto',
      variables: { password: [SECRET] },
    });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain(SECRET);
  });
});

describe('a variable without a value', () => {
  it('may stay unset where the command has a default; an unset secret is empty', async () => {
    const command = `printf '[%s]' {{ open | default: 'instead' }} {{ spare }} "\${open-unset}"{% if open %} never{% endif %}`;
    const ended = await lab.run([command], {
      variables: [
        { name: 'open', type: 'string' },
        { name: 'spare', type: 'secret' },
      ],
      targets: 'name=web-1',
    });
    expect(ended).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
    expect(await lab.text(ended.id, lab.servers[0]?.id ?? '')).toBe('[instead][][unset]');
  });
});
