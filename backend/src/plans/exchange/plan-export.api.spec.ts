import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { openApi } from '../../../test/support/openapi.js';
import { type Plan, type PlanExchange, startPlanExchange } from '../../../test/support/plan-exchange.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { planSchema } from '../../openapi/plan-schema.js';
import { PlanFieldsRequest, PlanVariableRequest } from '../plans.dto.js';
import { EMPTY_PLAN } from '../steps/plan-content.js';
import { STEP_DEFAULTS, STEP_TYPES, type StepType } from '../steps/types/step-types.js';
import { PlanStepRequest, StepRetriesRequest } from '../steps/plan-step.dto.js';
import { listForeignFields } from '../steps/step-of-request.js';
import { listFields } from '../../common/http/fields.js';

let lab: PlanExchange;

beforeAll(async () => {
  lab = await startPlanExchange();
});
afterAll(() => lab.close());

function contentOf(plan: Plan): object {
  const { id: _, name: __, revision: ___, version: ____, createdAt, updatedAt, frozenBy, warnings, ...rest } = plan;
  expect([createdAt, updatedAt, frozenBy, warnings]).toHaveLength(4);
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
const line = () => random.pick(TEXTS.filter((each) => !/[\n\t]/.test(each)));
const program = {
  become: ['root', 'postgres'],
  workingDirectory: ['/srv'],
  environment: [{ LANG: 'C', Odd: 'a: b\n' }],
};

/** Non-default values by field. Each new field needs values here. */
const VALUES: Record<string, readonly unknown[] | (() => unknown)> = {
  name: () => `N ${line()}`,
  description: text,
  environmentId: () => lab.ids.environmentId,
  collectionId: () => lab.ids.collectionId,
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
  scriptId: () => lab.ids.scriptId,
  arguments: () => [text(), text()],
  interpreter: ['/bin/bash'],
  templateId: () => lab.ids.templateId,
  gitSourceId: () => lab.ids.gitSourceId,
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
  placeholder: [true],
  idempotent: [true],
  outputs: [['version', 'build']],
  port: [443],
  url: ['https://localhost/health'],
  message: () => `Go on? ${text()}`,
  planId: () => lab.ids.planId,
  variables: [{ word: 'a: b\n' }, { word: 'b', size: 3 }],
  outputsFrom: [{ told: 'say.said' }],
  forEach: [['a', 'b: c\n']],
};
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
  listFields(PlanStepRequest).filter((field) => !listForeignFields(type).includes(field as never));

function step(type: StepType, key: string, fields: readonly string[]): object {
  const chosen = [...new Set([...NEEDS[type], ...fields])].filter((field) => !['key', 'type'].includes(field));
  const given = Object.fromEntries(chosen.map((field) => [field, valueOf(field)]));
  // `runOnce` and `batch` exclude each other.
  if ('runOnce' in given) delete given.batch;
  if ('url' in given && type === 'wait') delete given.port;
  return { key, type, ...given };
}

describe('plan as YAML', () => {
  it('contains only differences from the defaults, with names instead of IDs', async () => {
    const { environmentId, collectionId, scriptId, templateId } = lab.ids;
    const { body: plan } = await lab.post({
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
    expect(await lab.exported(plan.id)).toBe(`name: Deploy web
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
    await lab.admin.api.delete(`/api/plans/${plan.id}`);
  });

  const every = STEP_TYPES.flatMap((type) => [
    ...listFields(PlanStepRequest)
      .filter((field) => !listForeignFields(type).includes(field as never))
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
  const ofPlans = listFields(PlanFieldsRequest)
    .filter((field) => !['name', 'steps', 'variables'].includes(field))
    .map((field): [string, () => object] => [
      `${field} of a plan`,
      () => ({ [field]: valueOf(field), steps: [{ key: 'a', command: 'true' }] }),
    ]);
  const ofVariables = VARIABLES.map((variable): [string, () => object] => [
    `a variable of type ${variable.type}`,
    () => ({ variables: [variable], steps: [{ key: 'a', command: 'true' }] }),
  ]);

  it.each([...every, ...ofPlans, ...ofVariables])('is unchanged after export and import: %s', async (title, make) => {
    const { status, body: plan } = await lab.post({ name: title, ...make() });
    expect({ status, errors: plan.errors }).toEqual({ status: 201, errors: undefined });
    const yaml = await lab.exported(plan.id);
    expect((await lab.importing(yaml, { preview: true })).body.plans).toMatchObject([{ action: 'leave', changes: [] }]);
    await lab.admin.api.delete(`/api/plans/${plan.id}`);
    const back = await lab.importing(yaml);
    expect({ status: back.status, errors: back.body.errors }).toEqual({ status: 200, errors: undefined });
    const [made] = back.body.plans;
    expect(made).toMatchObject({ action: 'create', name: title, revision: 1 });
    const { body: again } = await lab.admin.api.get<Plan>(`/api/plans/${made?.planId ?? ''}`);
    expect(contentOf(again)).toEqual(contentOf(plan));
    expect(await lab.exported(again.id)).toBe(yaml);
    // JSON is valid YAML, and forms send JSON.
    const checked = await lab.check(JSON.stringify(contentOf(plan)).replace('{', `{"name":${JSON.stringify(title)},`));
    expect(checked).toMatchObject({ faults: [], yaml });
    expect(contentOf({ ...again, ...checked.plan })).toEqual(contentOf(again));
    expect(matchesSchema(parse(yaml))).toEqual([]);
    await lab.admin.api.delete(`/api/plans/${again.id}`);
  });

  it('covers each field of plans, steps, variables and retries', () => {
    for (const type of STEP_TYPES)
      expect(ownFields(type)).toEqual(
        expect.arrayContaining(
          Object.keys(STEP_DEFAULTS[type]).filter((field) => !listForeignFields(type).includes(field as never)),
        ),
      );
    expect(listFields(PlanFieldsRequest)).toEqual(expect.arrayContaining(Object.keys(EMPTY_PLAN)));
    const variables = new Set(VARIABLES.flatMap((variable) => Object.keys(variable)));
    expect([...variables].sort()).toEqual(listFields(PlanVariableRequest).sort());
    expect(listFields(StepRetriesRequest).sort()).toEqual(['backoff', 'count', 'delaySeconds']);
  });

  it('can be exported from an earlier revision', async () => {
    const { body: plan } = await lab.post({ name: 'Revised', steps: [{ key: 'a', command: 'echo 1' }] });
    await lab.admin.api.patch(`/api/plans/${plan.id}`, { steps: [{ key: 'a', command: 'echo 2' }] });
    expect(await lab.exported(plan.id, '?revision=1')).toContain('echo 1');
    expect(await lab.exported(plan.id)).toContain('echo 2');
    expect((await lab.admin.api.get(`/api/plans/${plan.id}/export?revision=3`)).status).toBe(404);
  });

  it('contains an ID if no name identifies the record', async () => {
    const odd = await lab.admin.api.post<{ id: string }>('/api/collections', { name: 'a/b' });
    const { body: plan } = await lab.post({
      name: 'Odd',
      collectionId: odd.body.id,
      steps: [{ key: 'a', command: 'true' }],
    });
    const yaml = await lab.exported(plan.id);
    expect(yaml).toContain(`collectionId: ${odd.body.id}`);
    expect((await lab.importing(yaml, { preview: true })).body.plans).toMatchObject([{ action: 'leave' }]);
  });
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
(formats as unknown as (target: Ajv2020) => void)(ajv);
let validate: ReturnType<Ajv2020['compile']> | undefined;
function matchesSchema(value: unknown): unknown[] {
  validate ??= ajv.compile(planSchema(openApi as never));
  return validate(value) ? [] : (validate.errors ?? []);
}

describe('schema of plans', () => {
  it('is public and has the fields of the API', async () => {
    const { status, text, headers } = await lab.runward.anonymous.get('/api/schemas/plan.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/schema+json; charset=utf-8']);
    const schema = JSON.parse(text) as { properties: object; $defs: { step: { properties: object } } };
    expect(schema).toEqual(JSON.parse(JSON.stringify(planSchema(openApi as never))));
    expect(Object.keys(schema.properties).sort()).toEqual(
      [...listFields(PlanFieldsRequest), 'collection', 'environment'].sort(),
    );
    const steps = [...listFields(PlanStepRequest), 'script', 'template', 'gitSource', 'plan'];
    expect(Object.keys(schema.$defs.step.properties).sort()).toEqual(steps.sort());
  });

  it('rejects texts that are not plans', () => {
    const plan = { name: 'a', steps: [{ key: 'a', command: 'true' }] };
    expect(matchesSchema(plan)).toEqual([]);
    expect(matchesSchema({ ...plan, stepz: [] })).not.toEqual([]);
    expect(matchesSchema({ name: 'a' })).not.toEqual([]);
    expect(matchesSchema({ ...plan, steps: [{ key: 'a', command: 'true', port: 80 }] })).not.toEqual([]);
    expect(matchesSchema({ ...plan, steps: [{ key: 'a', type: 'wait', port: 80 }] })).toEqual([]);
    expect(matchesSchema({ ...plan, steps: [{ key: 'a', type: 'script', script: 'x', mode: '1' }] })).not.toEqual([]);
  });
});
