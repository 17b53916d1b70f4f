import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type Plan, type PlanExchange, startPlanExchange } from '../../../test/support/plan-exchange.js';

let lab: PlanExchange;

beforeAll(async () => {
  lab = await startPlanExchange();
});
afterAll(() => lab.close());

const COMMENTED = `# Owned by the web team.
name: Commented # for short

steps:
  # Not before ten.
  - {key: a, command: echo 1}
`;

describe('text with comments', () => {
  it('is exported unchanged, and later with only the changes', async () => {
    const { body } = await lab.importing(COMMENTED);
    const id = body.plans[0]?.planId ?? '';
    expect(await lab.exported(id)).toBe(COMMENTED);
    await lab.admin.api.patch(`/api/plans/${id}`, { steps: [{ key: 'a', command: 'echo 2' }], targets: 'role=web' });
    const changed = await lab.exported(id);
    expect(changed).toContain('# Owned by the web team.\nname: Commented # for short\n');
    expect(changed).toContain('  # Not before ten.\n  - { key: a, command: echo 2 }\n');
    expect(parse(changed)).toEqual({
      name: 'Commented',
      targets: 'role=web',
      steps: [{ key: 'a', command: 'echo 2' }],
    });
    expect(await lab.exported(id, '?revision=1')).toBe(COMMENTED);
    expect((await lab.importing(changed, { preview: true })).body.plans).toMatchObject([
      { action: 'change', changes: [] },
    ]);
    expect((await lab.importing(changed)).body.plans).toMatchObject([{ action: 'change', revision: 3 }]);
    expect((await lab.importing(changed)).body.plans).toMatchObject([{ action: 'leave', revision: 3 }]);
  });
});

describe('import', () => {
  it('lists changes by field in a preview, then applies them', async () => {
    const { body: plan } = await lab.post({
      ...{ name: 'Changing', environmentId: lab.ids.environmentId, description: 'old' },
      steps: [
        { key: 'a', command: 'echo 1', timeoutSeconds: 5 },
        { key: 'b', command: 'echo 2' },
        { key: 'c', command: 'echo 3' },
      ],
    });
    const sparse = `name: changing
steps:
  - key: b
    command: echo two
  - key: a
    command: echo 1
  - key: d
    command: echo 4
`;
    const preview = await lab.importing(sparse, { preview: true });
    expect(preview.body).toMatchObject({ preview: true, plans: [{ action: 'change', planId: plan.id, revision: 2 }] });
    const change = (kind: string, part: string | null, field: string, before: string | null, after: string | null) => ({
      ...{ kind, part, field, before, after },
    });
    expect(preview.body.plans[0]?.changes).toEqual([
      change('plan', null, 'name', 'Changing', 'changing'),
      change('plan', null, 'description', 'old', null),
      change('plan', null, 'environment', 'staging', null),
      change('step', 'c', 'key', 'c', null),
      change('step', 'c', 'command', 'echo 3', null),
      change('step', 'b', 'position', '2', '1'),
      change('step', 'b', 'command', 'echo 2', 'echo two'),
      change('step', 'a', 'position', '1', '2'),
      change('step', 'a', 'timeoutSeconds', '5', null),
      change('step', 'd', 'key', null, 'd'),
      change('step', 'd', 'command', null, 'echo 4'),
    ]);
    expect((await lab.admin.api.get<Plan>(`/api/plans/${plan.id}`)).body).toEqual(plan);
    expect((await lab.importing(sparse)).body.plans).toMatchObject([{ action: 'change', revision: 2 }]);
    const { body: after } = await lab.admin.api.get<Plan>(`/api/plans/${plan.id}`);
    expect(after).toMatchObject({ name: 'changing', description: '', environmentId: null, revision: 2 });
    expect(after.steps.map(({ key }) => key)).toEqual(['b', 'a', 'd']);
    expect((await lab.importing(sparse)).body.plans).toMatchObject([{ action: 'leave', revision: 2 }]);
  });

  it('changes the plan with the given ID, unless another user saved it first', async () => {
    const { body: plan } = await lab.post({ name: 'Old name', steps: [{ key: 'a', command: 'true' }] });
    const renamed = 'name: New name\nsteps: [{key: a, command: "true"}]\n';
    const late = await lab.importing(renamed, { planId: plan.id }, { 'if-match': '"7"' });
    expect([late.status, late.body.code]).toEqual([412, 'version_mismatch']);
    const done = await lab.importing(renamed, { planId: plan.id }, { 'if-match': `"${plan.version}"` });
    expect(done.body.plans).toMatchObject([{ planId: plan.id, name: 'New name', revision: 2 }]);
    const gone = await lab.importing(renamed, { planId: lab.ids.environmentId });
    expect([gone.status, gone.body.errors?.[0]?.path]).toEqual([404, '/planId']);
  });

  it('uses the default environment and collection if the text names none', async () => {
    const { environmentId, collectionId } = lab.ids;
    const { body } = await lab.importing('name: Placed\nsteps: [{key: a, command: "true"}]\n', {
      environmentId,
      collectionId,
    });
    const { body: plan } = await lab.admin.api.get<Plan>(`/api/plans/${body.plans[0]?.planId ?? ''}`);
    expect(plan).toMatchObject({ environmentId, collectionId });
  });

  it('changes nothing in a preview, and returns the same answer for the same idempotency key', async () => {
    const content = 'name: Once\nsteps: [{key: a, command: "true"}]\n';
    const preview = await lab.importing(content, { preview: true });
    expect(preview.body.plans).toMatchObject([{ action: 'create', planId: null, revision: null }]);
    expect((await lab.admin.api.get<{ items: [] }>('/api/plans?name=Once')).body.items).toEqual([]);
    const [first, second] = [
      await lab.importing(content, {}, { 'idempotency-key': 'once' }),
      await lab.importing(content, {}, { 'idempotency-key': 'once' }),
    ];
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  it('reports line and column of each fault', async () => {
    const { status, body } = await lab.importing(`name: Faulty
enviroment: staging
environment: nowhere
targets: "role="
timeoutSeconds: soon
steps:
  - key: A b
    command: echo {{ RELEASE }}
    mode: 0644
  - key: two
    comand: x
    script: unknown
    type: script
    retries: {count: 99, delaySecs: 3}
`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    const faultTexts = body.errors?.map(({ code, line, column, entry }) => `${line}:${column} ${code} ${entry}`);
    expect(faultTexts).toEqual([
      '2:1 unknown_field /enviroment',
      '3:14 not_found /environment',
      '5:17 wrong_type /timeoutSeconds',
      '9:11 wrong_type /steps/0/mode',
      '11:5 unknown_field /steps/1/comand',
      '12:13 not_found /steps/1/script',
      '14:26 unknown_field /steps/1/retries/delaySecs',
    ]);
    const messages = body.errors?.map(({ message }) => message).join('\n') ?? '';
    expect(messages).toContain('The closest known name is "environment".');
    expect(messages).toContain('The closest known name is "command".');
    expect(messages).toContain('The closest known name is "delaySeconds".');
    expect(messages).toContain('Line 9, column 11: mode must be a text. Put it in quotes: "644".');
  });

  it('reports an invisible character in a name at its line', async () => {
    const { status, body } = await lab.importing(
      'name: "Roll\\u202Eout"\ndescription: "two\\nlines"\nsteps:\n  - {key: a, name: "a\\e[2J", command: "true"}\n',
    );
    expect([status, body.errors?.map(({ line, code, entry }) => `${line} ${code} ${entry}`)]).toEqual([
      400,
      ['1 forbidden_character /name', '4 forbidden_character /steps/0/name'],
    ]);
  });

  it('reports violated rules at the value', async () => {
    const { faults } = await lab.check(`name: Faulty
targets: "role in"
locks: [ok, "not ok"]
steps:
  - key: A b
    command: |
      echo
      echo {{ RELEASE }}
  - key: two
    port: 99
    type: command
    command: "true"
    onlyIfChanged:
      - nobody
    outputs: [a, a]
    environment:
      PATH: x
`);
    expect(faults.map(({ reason, line, column, path }) => `${line}:${column} ${reason.code} ${path}`)).toEqual([
      '2:10 invalid_selector /targets',
      '3:13 invalid_name /locks/1',
      '5:10 invalid_key /steps/0/key',
      '6:5 unknown_variable /steps/0/command',
      '10:5 field_of_other_type /steps/1/port',
      '14:9 unknown_step /steps/1/onlyIfChanged/0',
      '15:18 duplicate_name /steps/1/outputs/1',
      '17:13 invalid_name /steps/1/environment/PATH',
    ]);
  });

  it('reports faults of a call at the value or name', async () => {
    const { faults } = await lab.check(`name: Caller
steps:
  - key: first
    type: plan
    plan: Nobody has it
`);
    expect(faults.map(({ reason, line, column, path }) => `${line}:${column} ${reason.code} ${path}`)).toEqual([
      '5:11 not_found /steps/0/plan',
    ]);
    const { faults: later } = await lab.check(`name: Caller
steps:
  - key: first
    type: plan
    plan: Say
    variables:
      word: hello
      sizes: 3
      size: large
    outputsFrom:
      heard: say.said
      lost: say.nothing
`);
    expect(later.map(({ reason, line, column, path }) => `${line}:${column} ${reason.code} ${path}`)).toEqual([
      '8:14 unknown_variable /steps/0/variables/sizes',
      '9:13 wrong_type /steps/0/variables/size',
      '12:13 unknown_output /steps/0/outputsFrom/lost',
    ]);
  });

  it.each([
    ['nothing', '# nothing\n', 'wrong_type'],
    ['a list', '- a\n', 'wrong_type'],
    ['a text', 'deploy', 'wrong_type'],
    ['an alias', 'name: &a x\ndescription: *a\n', 'yaml_alias'],
    ['name and id of one record', 'name: x\nenvironment: a\nenvironmentId: b\nsteps: []\n', 'conflicting_fields'],
  ])('rejects %s with a code of its own', async (_, content, code) => {
    const { status, body } = await lab.importing(content);
    expect([status, body.errors?.[0]?.code]).toEqual([400, code]);
  });

  it('is not allowed for viewers, who may validate and export', async () => {
    const viewer = await lab.runward.member(lab.admin, 'viewer');
    const { body } = await lab.importing('name: Seen\nsteps: [{key: a, command: "true"}]\n');
    const id = body.plans[0]?.planId ?? '';
    expect((await viewer.api.post('/api/plans/import', { content: 'x' })).status).toBe(403);
    expect((await viewer.api.post('/api/plans/check', { content: 'x' })).status).toBe(200);
    expect((await viewer.api.get(`/api/plans/${id}/export`)).status).toBe(200);
  });
});

describe('interpreter that contradicts line 1 of the script', () => {
  const step = (interpreter: string | null) => ({
    ...{ key: 'go', type: 'script', scriptId: '', interpreter },
  });
  const text = (name: string) =>
    `name: ${name}\nsteps:\n  - key: go\n    type: script\n    script: with-bash\n    interpreter: /bin/sh\n`;
  const expected = {
    path: '/steps/0/interpreter',
    reason: {
      code: 'interpreter_contradiction',
      text: expect.stringMatching(
        /^Step "go" runs the script "with-bash". Line 1 names "\/bin\/bash", but "\/bin\/sh"/,
      ),
    },
  };

  it('is a warning when saving, restoring, reading, validating and importing, but not in the audit trail', async () => {
    const script = { name: 'with-bash', content: '#!/bin/bash\n[[ a == a ]]\n' };
    const { id: scriptId } = (await lab.admin.api.post<Plan>('/api/scripts', script)).body;
    const { body: made } = await lab.post({ name: 'Contradicted', steps: [{ ...step('/bin/sh'), scriptId }] });
    expect(made.warnings).toEqual([expected]);
    const path = `/api/plans/${made.id}`;
    expect((await lab.admin.api.get<Plan>(path)).body.warnings).toEqual([expected]);
    const { body: sound } = await lab.admin.api.patch<Plan>(path, { steps: [{ ...step('bash'), scriptId }] });
    expect(sound.warnings).toEqual([]);
    const { body: restored } = await lab.admin.api.post<Plan>(`${path}/restore`, { revision: 1 });
    expect(restored.warnings).toEqual([expected]);

    expect(await lab.check(text('Checked'))).toMatchObject({ faults: [], warnings: [{ ...expected, line: 6 }] });
    const preview = await lab.importing(text('Imported'), { preview: true });
    expect(preview.body.plans[0]?.warnings).toMatchObject([{ ...expected, line: 6 }]);
    const key = { 'idempotency-key': 'contradicted' };
    const imported = await lab.importing(text('Imported'), {}, key);
    expect(imported.body.plans[0]?.warnings).toMatchObject([{ ...expected, line: 6 }]);
    const again = await lab.importing(text('Imported'), {}, key);
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', imported.body]);

    const audit = await lab.admin.api.get(`/api/audit-logs?resourceId=${made.id}`);
    expect(audit.text).toContain('plan.restore');
    expect(audit.text).not.toContain('interpreter_contradiction');
  });
});
