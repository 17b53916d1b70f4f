import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { openApi } from '../../../test/support/openapi.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { planSchema } from '../../openapi/plan-schema.js';
import { PlanFieldsRequest, PlanVariableRequest } from '../plans.dto.js';
import { EMPTY_PLAN, STEP_DEFAULTS, STEP_TYPES, type StepType } from '../steps/plan-content.js';
import { PlanStepRequest, StepRetriesRequest } from '../steps/plan-step.dto.js';
import { foreignFields } from '../steps/step-of-request.js';
import { fieldsOf } from './known-fields.js';

interface Plan {
  [field: string]: unknown;
  id: string;
  name: string;
  revision: number;
  version: number;
  steps: { key: string; command?: string }[];
}
interface Import {
  preview: boolean;
  plans: {
    name: string;
    action: string;
    planId: string | null;
    revision: number | null;
    changes: object[];
    yaml: string;
  }[];
  errors?: { path: string; code: string; message: string; line?: number; column?: number; entry?: string }[];
  code?: string;
}
interface Check {
  faults: { path: string; code: string; message: string; line: number; column: number; endColumn: number }[];
  plan: Plan | null;
  yaml: string | null;
}

let runward: Installation;
let admin: TestMember;
let ids: Record<string, string>;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  const make = async (path: string, body: object) => {
    const answer = await admin.api.post<{ id: string }>(path, body);
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  const releases = await make('/api/collections', { name: 'Releases' });
  ids = {
    environmentId: await make('/api/environments', { name: 'staging' }),
    scriptId: await make('/api/scripts', { name: 'drain', content: 'true' }),
    templateId: await make('/api/templates', { name: 'app.conf', content: 'x' }),
    gitSourceId: await make('/api/git-sources', { name: 'site', url: 'https://git.example.com/site.git' }),
    collectionId: await make('/api/collections', { name: 'Web', parentId: releases }),
    planId: await make('/api/plans', {
      name: 'Say',
      variables: [
        { name: 'word', type: 'string' },
        { name: 'size', type: 'integer' },
      ],
      steps: [{ key: 'say', command: 'true', outputs: ['said'] }],
    }),
  };
});
afterAll(() => runward.close());

const post = (body: object) => admin.api.post<Plan>('/api/plans', body);
const importing = (content: string, more: object = {}, headers = {}) =>
  admin.api.post<Import>('/api/plans/import', { content, ...more }, headers);
const exported = async (id: string, query = '') => {
  const { status, text, headers } = await admin.api.get<string>(`/api/plans/${id}/export${query}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml; charset=utf-8']);
  return text;
};
const check = async (content: string, base?: string) =>
  (await admin.api.post<Check>('/api/plans/check', { content, ...(base === undefined ? {} : { base }) })).body;

/** What a plan says, without what is only of this record. */
function said(plan: Plan): object {
  const { id: _, name: __, revision: ___, version: ____, createdAt, updatedAt, frozenBy, ...rest } = plan;
  expect([createdAt, updatedAt, frozenBy]).toHaveLength(3);
  return rest;
}

const random = seededRandom(20261205);
const TEXTS = [
  'plain',
  'yes',
  '0644',
  '# no',
  'a: b',
  'two\nlines\n',
  '  indented\n  so',
  'tab\there',
  'é\u{1F600}',
  '"',
];
const text = () => random.pick(TEXTS);
const program = {
  become: ['root', 'postgres'],
  workingDirectory: ['/srv'],
  environment: [{ LANG: 'C', Odd: 'a: b\n' }],
};

/** Values that a field may have, beside its default. Whoever adds a field names some here. */
const VALUES: Record<string, readonly unknown[] | (() => unknown)> = {
  name: () => `N ${text()}`,
  description: text,
  environmentId: () => ids.environmentId,
  collectionId: () => ids.collectionId,
  targets: ['role=web,region in (eu, us)'],
  timeoutSeconds: [7],
  maxFailPercent: [12],
  onFailure: ['continue'],
  strategy: ['free'],
  parallelSafe: [true],
  locks: [['a', 'b'], ['database-migration']],
  allowedModes: [['auto', 'dry_run']],
  when: ['host.name == "a"'],
  runOnce: [true],
  retries: [{ count: 2 }, { count: 1, delaySeconds: 5, backoff: 'exponential' }],
  batch: [3, '25%'],
  always: [true],
  confirm: [true],
  onlyIfChanged: [['first']],
  command: () => `echo ${text()}`,
  scriptId: () => ids.scriptId,
  arguments: () => [text(), text()],
  interpreter: ['/bin/bash'],
  templateId: () => ids.templateId,
  gitSourceId: () => ids.gitSourceId,
  sourcePath: ['etc/app.conf'],
  ref: ['main'],
  path: ['/etc/app.conf'],
  owner: ['root', '0'],
  group: ['www-data'],
  mode: ['0644', '755'],
  backup: [true],
  validate: ['nginx -t -c %s'],
  ...program,
  okExitCodes: [[0, 3]],
  changedExitCodes: [[2]],
  unless: ['test -e /x\n'],
  check: () => `true # ${text()}`,
  readOnly: [true],
  idempotent: [true],
  outputs: [['version', 'build']],
  port: [443],
  url: ['https://localhost/health'],
  message: () => `Go on? ${text()}`,
  planId: () => ids.planId,
  variables: [{ word: 'a: b\n' }, { word: 'b', size: 3 }],
  outputsFrom: [{ told: 'say.said' }],
  forEach: [['a', 'b: c\n']],
};
/** What a step of a type can't do without. */
const NEEDS: Record<StepType, readonly string[]> = {
  command: ['command'],
  script: ['scriptId'],
  template: ['templateId', 'path'],
  file: ['gitSourceId', 'sourcePath', 'path'],
  wait: ['port'],
  gate: ['message'],
  plan: ['planId'],
};
const VARIABLES = [
  { name: 'A', type: 'string', required: true, pattern: 'v\\d+', default: 'v1', description: 'x\ny: z\n' },
  { name: 'B', type: 'choice', choices: ['yes', 'no', '0'], default: 'no' },
  { name: 'C', type: 'list', default: ['1', 'a b', ''] },
  { name: 'D', type: 'integer', default: 0 },
  { name: 'E', type: 'boolean', default: false },
  { name: 'F', type: 'secret', required: true },
  { name: 'G', type: 'number', default: -1.5 },
];

function valueOf(field: string): unknown {
  const values = VALUES[field];
  if (!values) throw new Error(`Name values of the field ${field}, so that its round trip is tried.`);
  return typeof values === 'function' ? values() : random.pick(values);
}

const ownFields = (type: StepType) =>
  fieldsOf(PlanStepRequest).filter((field) => !foreignFields(type).includes(field as never));

function step(type: StepType, key: string, fields: readonly string[]): object {
  const chosen = [...new Set([...NEEDS[type], ...fields])].filter((field) => !['key', 'type'].includes(field));
  const given = Object.fromEntries(chosen.map((field) => [field, valueOf(field)]));
  // These exclude one another.
  if ('runOnce' in given) delete given.batch;
  if ('url' in given && type === 'wait') delete given.port;
  return { key, type, ...given };
}

describe('a plan as YAML', () => {
  it('says in few lines what differs from the defaults, with names in place of ids', async () => {
    const { environmentId, collectionId, scriptId, templateId } = ids;
    const { body: plan } = await post({
      ...{ name: 'Deploy web', environmentId, collectionId, targets: 'role=web' },
      variables: [{ name: 'RELEASE', type: 'string', required: true }],
      steps: [
        { key: 'drain', name: 'Drain', type: 'script', scriptId, arguments: ['{{ RELEASE }}'] },
        { key: 'config', type: 'template', templateId, path: '/etc/app.conf', mode: '0644' },
        {
          key: 'restart',
          command: 'set -e\nsystemctl restart web\n',
          onlyIfChanged: ['config'],
          retries: { count: 2 },
        },
      ],
    });
    expect(await exported(plan.id)).toBe(`name: Deploy web
collection: Releases/Web
environment: staging
targets: role=web

variables:
  - name: RELEASE
    type: string
    required: true

steps:
  - key: drain
    name: Drain
    type: script
    script: drain
    arguments: ["{{ RELEASE }}"]

  - key: config
    type: template
    template: app.conf
    path: /etc/app.conf
    mode: "0644"

  - key: restart
    command: |
      set -e
      systemctl restart web
    retries:
      count: 2
    onlyIfChanged: [config]
`);
    await admin.api.delete(`/api/plans/${plan.id}`);
  });

  const every = STEP_TYPES.flatMap((type) => [
    ...fieldsOf(PlanStepRequest)
      .filter((field) => !foreignFields(type).includes(field as never))
      .map((field): [string, () => object] => [
        `${field} of a step of type ${type}`,
        () => ({ steps: [{ key: 'first', command: 'true' }, step(type, 'second', [field])] }),
      ]),
    ...Array.from({ length: 4 }, (_, time): [string, () => object] => [
      `many fields of a step of type ${type} (${time + 1})`,
      () => ({
        steps: [
          { key: 'first', command: 'true' },
          step(
            type,
            'second',
            ownFields(type).filter(() => random.int(2) === 0),
          ),
        ],
      }),
    ]),
  ]);
  const ofPlans = fieldsOf(PlanFieldsRequest)
    .filter((field) => !['name', 'steps', 'variables'].includes(field))
    .map((field): [string, () => object] => [
      `${field} of a plan`,
      () => ({ [field]: valueOf(field), steps: [{ key: 'a', command: 'true' }] }),
    ]);
  const ofVariables = VARIABLES.map((variable): [string, () => object] => [
    `a variable of type ${variable.type}`,
    () => ({ variables: [variable], steps: [{ key: 'a', command: 'true' }] }),
  ]);

  it.each([...every, ...ofPlans, ...ofVariables])('loses nothing on its way out and back: %s', async (title, make) => {
    const { status, body: plan } = await post({ name: title, ...make() });
    expect({ status, errors: plan.errors }).toEqual({ status: 201, errors: undefined });
    const yaml = await exported(plan.id);
    expect((await importing(yaml, { preview: true })).body.plans).toMatchObject([{ action: 'leave', changes: [] }]);
    await admin.api.delete(`/api/plans/${plan.id}`);
    const back = await importing(yaml);
    expect({ status: back.status, errors: back.body.errors }).toEqual({ status: 200, errors: undefined });
    const [made] = back.body.plans;
    expect(made).toMatchObject({ action: 'create', name: title, revision: 1 });
    const { body: again } = await admin.api.get<Plan>(`/api/plans/${made?.planId ?? ''}`);
    expect(said(again)).toEqual(said(plan));
    expect(await exported(again.id)).toBe(yaml);
    // JSON is YAML too, and what a form sends.
    const checked = await check(JSON.stringify(said(plan)).replace('{', `{"name":${JSON.stringify(title)},`));
    expect(checked).toMatchObject({ faults: [], yaml });
    expect(said({ ...again, ...checked.plan })).toEqual(said(again));
    expect(matchesSchema(parse(yaml))).toEqual([]);
    await admin.api.delete(`/api/plans/${again.id}`);
  });

  it('knows each field of plans, steps, variables and retries', () => {
    for (const type of STEP_TYPES)
      expect(ownFields(type)).toEqual(
        expect.arrayContaining(
          Object.keys(STEP_DEFAULTS[type]).filter((field) => !foreignFields(type).includes(field as never)),
        ),
      );
    expect(fieldsOf(PlanFieldsRequest)).toEqual(expect.arrayContaining(Object.keys(EMPTY_PLAN)));
    const variables = new Set(VARIABLES.flatMap((variable) => Object.keys(variable)));
    expect([...variables].sort()).toEqual(fieldsOf(PlanVariableRequest).sort());
    expect(fieldsOf(StepRetriesRequest).sort()).toEqual(['backoff', 'count', 'delaySeconds']);
  });

  it('is that of an earlier revision where one is asked for', async () => {
    const { body: plan } = await post({ name: 'Revised', steps: [{ key: 'a', command: 'echo 1' }] });
    await admin.api.patch(`/api/plans/${plan.id}`, { steps: [{ key: 'a', command: 'echo 2' }] });
    expect(await exported(plan.id, '?revision=1')).toContain('echo 1');
    expect(await exported(plan.id)).toContain('echo 2');
    expect((await admin.api.get(`/api/plans/${plan.id}/export?revision=3`)).status).toBe(404);
  });

  it('tells a record by its id where no name leads back to it', async () => {
    const odd = await admin.api.post<{ id: string }>('/api/collections', { name: 'a/b' });
    const { body: plan } = await post({
      name: 'Odd',
      collectionId: odd.body.id,
      steps: [{ key: 'a', command: 'true' }],
    });
    const yaml = await exported(plan.id);
    expect(yaml).toContain(`collectionId: ${odd.body.id}`);
    expect((await importing(yaml, { preview: true })).body.plans).toMatchObject([{ action: 'leave' }]);
  });
});

const COMMENTED = `# Owned by the web team.
name: Commented # for short

steps:
  # Not before ten.
  - {key: a, command: echo 1}
`;

describe('a text with comments', () => {
  it('comes back as it was written, until something changes; then only that changes', async () => {
    const { body } = await importing(COMMENTED);
    const id = body.plans[0]?.planId ?? '';
    expect(await exported(id)).toBe(COMMENTED);
    await admin.api.patch(`/api/plans/${id}`, { steps: [{ key: 'a', command: 'echo 2' }], targets: 'role=web' });
    const changed = await exported(id);
    expect(changed).toContain('# Owned by the web team.\nname: Commented # for short\n');
    expect(changed).toContain('  # Not before ten.\n  - { key: a, command: echo 2 }\n');
    expect(parse(changed)).toEqual({
      name: 'Commented',
      targets: 'role=web',
      steps: [{ key: 'a', command: 'echo 2' }],
    });
    expect(await exported(id, '?revision=1')).toBe(COMMENTED);
    expect((await importing(changed, { preview: true })).body.plans).toMatchObject([{ action: 'change', changes: [] }]);
    expect((await importing(changed)).body.plans).toMatchObject([{ action: 'change', revision: 3 }]);
    expect((await importing(changed)).body.plans).toMatchObject([{ action: 'leave', revision: 3 }]);
  });
});

describe('an import', () => {
  it('tells in a preview field by field what it would change, and then does it', async () => {
    const { body: plan } = await post({
      ...{ name: 'Changing', environmentId: ids.environmentId, description: 'old' },
      steps: [
        { key: 'a', command: 'echo 1', timeoutSeconds: 5 },
        { key: 'b', command: 'echo 2' },
        { key: 'c', command: 'echo 3' },
      ],
    });
    const wanted = `name: changing
steps:
  - key: b
    command: echo two
  - key: a
    command: echo 1
  - key: d
    command: echo 4
`;
    const preview = await importing(wanted, { preview: true });
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
    expect((await admin.api.get<Plan>(`/api/plans/${plan.id}`)).body).toEqual(plan);
    expect((await importing(wanted)).body.plans).toMatchObject([{ action: 'change', revision: 2 }]);
    const { body: after } = await admin.api.get<Plan>(`/api/plans/${plan.id}`);
    expect(after).toMatchObject({ name: 'changing', description: '', environmentId: null, revision: 2 });
    expect(after.steps.map(({ key }) => key)).toEqual(['b', 'a', 'd']);
    expect((await importing(wanted)).body.plans).toMatchObject([{ action: 'leave', revision: 2 }]);
  });

  it('becomes the plan that is named by its id, unless somebody else has saved it meanwhile', async () => {
    const { body: plan } = await post({ name: 'Old name', steps: [{ key: 'a', command: 'true' }] });
    const renamed = 'name: New name\nsteps: [{key: a, command: "true"}]\n';
    const late = await importing(renamed, { planId: plan.id }, { 'if-match': '"7"' });
    expect([late.status, late.body.code]).toEqual([412, 'version_mismatch']);
    const done = await importing(renamed, { planId: plan.id }, { 'if-match': `"${plan.version}"` });
    expect(done.body.plans).toMatchObject([{ planId: plan.id, name: 'New name', revision: 2 }]);
    const gone = await importing(renamed, { planId: ids.environmentId });
    expect([gone.status, gone.body.errors?.[0]?.path]).toEqual([404, '/planId']);
  });

  it('puts a plan where its text names no other place', async () => {
    const { environmentId, collectionId } = ids;
    const { body } = await importing('name: Placed\nsteps: [{key: a, command: "true"}]\n', {
      environmentId,
      collectionId,
    });
    const { body: plan } = await admin.api.get<Plan>(`/api/plans/${body.plans[0]?.planId ?? ''}`);
    expect(plan).toMatchObject({ environmentId, collectionId });
  });

  it('leaves nothing behind when it is a preview, and repeats an answer for the same key', async () => {
    const content = 'name: Once\nsteps: [{key: a, command: "true"}]\n';
    const preview = await importing(content, { preview: true });
    expect(preview.body.plans).toMatchObject([{ action: 'create', planId: null, revision: null }]);
    expect((await admin.api.get<{ items: [] }>('/api/plans?name=Once')).body.items).toEqual([]);
    const [first, second] = [
      await importing(content, {}, { 'idempotency-key': 'once' }),
      await importing(content, {}, { 'idempotency-key': 'once' }),
    ];
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  it('tells line and column of every fault', async () => {
    const { status, body } = await importing(`name: Faulty
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
    const told = body.errors?.map(({ code, line, column, entry }) => `${line}:${column} ${code} ${entry}`);
    expect(told).toEqual([
      '2:1 unknown_field /enviroment',
      '3:14 not_found /environment',
      '5:17 wrong_type /timeoutSeconds',
      '9:11 wrong_type /steps/0/mode',
      '11:5 unknown_field /steps/1/comand',
      '12:13 not_found /steps/1/script',
      '14:26 unknown_field /steps/1/retries/delaySecs',
    ]);
    const messages = body.errors?.map(({ message }) => message).join('\n') ?? '';
    expect(messages).toContain('The nearest known name is "environment".');
    expect(messages).toContain('The nearest known name is "command".');
    expect(messages).toContain('The nearest known name is "delaySeconds".');
    expect(messages).toContain('Line 9, column 11: mode must be a text. Put it in quotes: "644".');
  });

  it('tells the faults of the rules of plans at the values that they are about', async () => {
    const { faults } = await check(`name: Faulty
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
    expect(faults.map(({ code, line, column, path }) => `${line}:${column} ${code} ${path}`)).toEqual([
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

  it('tells what a call gets wrong at the value or the name that it is about', async () => {
    const { faults } = await check(`name: Caller
steps:
  - key: first
    type: plan
    plan: Nobody has it
`);
    expect(faults.map(({ code, line, column, path }) => `${line}:${column} ${code} ${path}`)).toEqual([
      '5:11 not_found /steps/0/plan',
    ]);
    const { faults: later } = await check(`name: Caller
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
    expect(later.map(({ code, line, column, path }) => `${line}:${column} ${code} ${path}`)).toEqual([
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
  ])('refuses %s by name', async (_, content, code) => {
    const { status, body } = await importing(content);
    expect([status, body.errors?.[0]?.code]).toEqual([400, code]);
  });

  it('can not be had by viewers, who may check and export', async () => {
    const viewer = await runward.member(admin, 'viewer');
    const { body } = await importing('name: Seen\nsteps: [{key: a, command: "true"}]\n');
    const id = body.plans[0]?.planId ?? '';
    expect((await viewer.api.post('/api/plans/import', { content: 'x' })).status).toBe(403);
    expect((await viewer.api.post('/api/plans/check', { content: 'x' })).status).toBe(200);
    expect((await viewer.api.get(`/api/plans/${id}/export`)).status).toBe(200);
  });
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
(formats as unknown as (target: Ajv2020) => void)(ajv);
let validate: ReturnType<Ajv2020['compile']> | undefined;
function matchesSchema(value: unknown): unknown[] {
  validate ??= ajv.compile(planSchema(openApi as never));
  return validate(value) ? [] : (validate.errors ?? []);
}

describe('the schema of plans', () => {
  it('is published for everybody, and made of the fields that the API has', async () => {
    const { status, text, headers } = await runward.anonymous.get('/api/schemas/plan.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/schema+json; charset=utf-8']);
    const schema = JSON.parse(text) as { properties: object; $defs: { step: { properties: object } } };
    expect(schema).toEqual(JSON.parse(JSON.stringify(planSchema(openApi as never))));
    expect(Object.keys(schema.properties).sort()).toEqual(
      [...fieldsOf(PlanFieldsRequest), 'collection', 'environment'].sort(),
    );
    const steps = [...fieldsOf(PlanStepRequest), 'script', 'template', 'gitSource', 'plan'];
    expect(Object.keys(schema.$defs.step.properties).sort()).toEqual(steps.sort());
  });

  it('refuses what is no plan', () => {
    const plan = { name: 'a', steps: [{ key: 'a', command: 'true' }] };
    expect(matchesSchema(plan)).toEqual([]);
    expect(matchesSchema({ ...plan, stepz: [] })).not.toEqual([]);
    expect(matchesSchema({ name: 'a' })).not.toEqual([]);
    expect(matchesSchema({ ...plan, steps: [{ key: 'a', command: 'true', port: 80 }] })).not.toEqual([]);
    expect(matchesSchema({ ...plan, steps: [{ key: 'a', type: 'wait', port: 80 }] })).toEqual([]);
    expect(matchesSchema({ ...plan, steps: [{ key: 'a', type: 'script', script: 'x', mode: '1' }] })).not.toEqual([]);
  });
});
