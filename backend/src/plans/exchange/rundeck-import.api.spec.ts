import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';

interface Import {
  plans: {
    name: string;
    action: string;
    planId: string | null;
    line: number;
    stepCount: number;
    yaml: string | null;
  }[];
  notCarried: { line: number; job: string; step: string | null; what: string; reason: { text: string } }[];
  moreNotCarried: number;
  errors?: { code: string; line?: number; message: string }[];
}
interface Plan {
  name: string;
  targets: string;
  environmentId: string;
  collectionId: string;
  onFailure: string;
  timeoutSeconds: number;
  maxFailPercent: number;
  parallelSafe: boolean;
  variables: object[];
  steps: {
    key: string;
    name: string;
    type: string;
    command?: string;
    message?: string;
    become?: string;
    batch?: number;
  }[];
}

let runward: Installation;
let admin: TestMember;
let place: { environmentId: string; collectionId: string };

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  const environment = await admin.api.post<{ id: string }>('/api/environments', { name: 'staging' });
  const collection = await admin.api.post<{ id: string }>('/api/collections', { name: 'Moved in' });
  place = { environmentId: environment.body.id, collectionId: collection.body.id };
});
afterAll(() => runward.close());

const importing = (content: string, more: object = {}) =>
  admin.api.post<Import>('/api/plans/import', { content, format: 'rundeck', ...place, ...more });
async function imported(content: string): Promise<{ plan: Plan; notCarried: string[] }> {
  const { status, body } = await importing(content);
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  const [made] = body.plans;
  const { body: plan } = await admin.api.get<Plan>(`/api/plans/${made?.planId ?? 'none'}`);
  return { plan, notCarried: body.notCarried.map(({ line, step, what }) => `${line} ${step ?? '-'} ${what}`) };
}

let numbered = 0;
function job(steps: string, more = ''): string {
  numbered += 1;
  return `- name: job ${numbered}\n  loglevel: INFO\n  nodefilters:\n    filter: 'tags: web'\n${more}  sequence:\n    keepgoing: false\n    strategy: sequential\n    commands:\n${steps}`;
}
const commands = ({ steps }: Plan) => steps.map(({ command }) => command);

const FULL_JOB = `- defaultTab: nodes
  description: Rolls a release out
  executionEnabled: true
  group: web/deploy
  id: 0c0ffee0-0000-4000-8000-000000000001
  loglevel: INFO
  multipleExecutions: true
  name: Deploy the site
  nodeFilterEditable: false
  nodefilters:
    dispatch:
      keepgoing: true
      threadcount: '2'
    filter: 'tags: web+prod name: site-.*'
  notification:
    onfailure:
      email:
        recipients: ops@example.test
  options:
  - name: release
    description: Which one
    required: true
    regex: v\\d+
    value: v1
  - name: color-of-site
    enforced: true
    values: [blue, green]
    value: green
  - name: token
    secure: true
    storagePath: keys/deploy
  - name: notes
    values: [a, b]
  schedule:
    crontab: 0 0 3 ? * * *
  sequence:
    keepgoing: true
    strategy: node-first
    commands:
    - description: Announce
      exec: echo deploying \${option.release} '\${option.color-of-site}' "\${option.notes}"
    - script: |
        #!/bin/bash
        set -e
        curl -H "X-Token: @option.token@" --data "$RD_OPTION_COLOR_OF_SITE"
      scriptInterpreter: sudo -u deploy bash
      args: --fast \${option.release}
      errorhandler:
        script: echo late
        scriptInterpreter: sudo -u deploy sh
        keepgoingOnSuccess: true
    - scriptfile: /opt/jobs/cleanup.sh
    - jobref:
        name: Warm up
        group: web
    - exec: docker ps --format '{{.Names}}'
  timeout: 1h30m
  uuid: 0c0ffee0-0000-4000-8000-000000000001
`;

describe('Rundeck job', () => {
  it('becomes a plan in the chosen collection, with a list of unconverted parts', async () => {
    const preview = await importing(FULL_JOB, { preview: true });
    expect(preview.body.plans).toMatchObject([{ name: 'Deploy the site', action: 'create', planId: null, line: 1 }]);
    expect(parse(preview.body.plans[0]?.yaml ?? '')).toMatchObject({ name: 'Deploy the site', environment: 'staging' });
    expect((await admin.api.get<{ items: [] }>('/api/plans')).body.items).toEqual([]);
    const { plan, notCarried } = await imported(FULL_JOB);
    expect(plan).toMatchObject({
      ...place,
      ...{ targets: 'web,prod,name=site-*', onFailure: 'continue', maxFailPercent: 100, timeoutSeconds: 5400 },
      ...{ description: 'Rolls a release out', parallelSafe: true },
      variables: [
        { name: 'release', type: 'string', required: true, pattern: 'v\\d+', default: 'v1', description: 'Which one' },
        { name: 'color_of_site', type: 'choice', choices: ['blue', 'green'], default: 'green' },
        { name: 'token', type: 'secret', required: true },
        { name: 'notes', type: 'string' },
      ],
    });
    expect(plan.steps).toMatchObject([
      { key: '1-announce', name: 'Announce', type: 'command', batch: 2 },
      { type: 'command', become: 'deploy', batch: 2 },
      { type: 'gate', message: expect.stringContaining('/opt/jobs/cleanup.sh') as unknown as string },
      { type: 'gate', message: expect.stringContaining('Warm up') as unknown as string },
      { type: 'command', command: "docker ps --format '{% raw %}{{{% endraw %}.Names}}'" },
    ]);
    const [announce, script = ''] = commands(plan);
    expect(announce).toBe(`echo deploying {{ release }} ''"\${color_of_site}"'' "\${notes}"`);
    expect(script).toContain('curl -H "X-Token: ${token}" --data "$color_of_site"');
    expect(script).toContain('bash "$script" --fast {{ release }}');
    expect(script).toContain('echo late');
    expect(notCarried).toEqual([
      '4 - group',
      '15 - notification',
      '29 - option token: storagePath',
      '29 - option token: secure',
      '32 - option notes: values',
      '34 - schedule',
      '37 - keepgoing',
      '38 - strategy node-first',
      '52 3 script file /opt/jobs/cleanup.sh',
      '53 4 job reference Warm up',
    ]);
  });

  it('calls the plans of referenced jobs in any order, with options as variables', async () => {
    const jobs = `- name: Release
  options:
  - {name: version, value: '1'}
  - {name: zone-name, value: eu}
  sequence:
    commands:
    - jobref:
        name: Roll out
        group: ops
        args: -version \${option.version} -who "the night shift" -nobody x
        importOptions: true
    - description: Tell
      jobref: {uuid: 0c0ffee0-0000-4000-8000-00000000beef}
- name: Roll out
  group: ops
  nodefilters: {filter: 'tags: web'}
  options:
  - {name: version, required: true}
  - {name: who}
  - {name: zone-name}
  sequence:
    commands:
    - exec: echo \${option.version}
- name: Tell them
  uuid: 0c0ffee0-0000-4000-8000-00000000beef
  nodefilters: {filter: '.*'}
  sequence:
    commands:
    - exec: echo told
`;
    const { body } = await importing(jobs);
    expect(body.plans.map(({ name }) => name)).toEqual(['Roll out', 'Tell them', 'Release']);
    const idOf = (name: string) => body.plans.find((plan) => plan.name === name)?.planId;
    const { body: plan } = await admin.api.get<Plan>(`/api/plans/${idOf('Release')}`);
    expect(plan.steps).toMatchObject([
      {
        name: 'Roll out',
        type: 'plan',
        planId: idOf('Roll out'),
        variables: { version: '{{ version }}', who: 'the night shift', zone_name: '{{ zone_name }}' },
      },
      { name: 'Tell', type: 'plan', planId: idOf('Tell them'), variables: {} },
    ]);
    expect(body.notCarried.map(({ job, step, what }) => [job, step, what])).toEqual([
      ['Release', '1', 'job reference Roll out: -nobody'],
      ['Roll out', null, 'group'],
    ]);
  });

  it.each([
    ['unknown job', 'name: Nobody has it', 'Nobody has it'],
    ['ID alone', 'uuid: 0c0ffee0-0000-4000-8000-00000000dead', 'only by ID'],
    ['text around an option', 'name: Nobody, args: "-a x${option.b}"', 'text around options'],
    ['value that the plan does not accept', 'name: Needs a value, args: -nobody x', 'nobody'],
    ['hosts that cannot be determined', 'name: Needs a value, nodefilters: {filter: "tags: a,b"}', 'selector'],
  ])('stops before a call that cannot be converted: %s', async (_, jobref, expectedMessage) => {
    const needs = { name: 'Needs a value', variables: [{ name: 'word', type: 'string', required: true }] };
    await admin.api.post('/api/plans', { ...needs, steps: [{ key: 'one', command: 'echo {{ word }}' }] });
    const calls = job(`    - jobref: {${jobref}}\n`).replace(/ {2}nodefilters:\n.*\n/, '');
    const { plan, notCarried } = await imported(calls);
    expect(plan.steps).toMatchObject([
      { type: 'gate', placeholder: true, message: expect.stringContaining(expectedMessage) as unknown as string },
    ]);
    expect(notCarried).toEqual([expect.stringContaining('job reference')]);
  });

  it('is converted without circular calls', async () => {
    const circle = ['a', 'b']
      .map((name) =>
        job(`    - jobref: {name: circle ${name === 'a' ? 'b' : 'a'}}\n`).replace(
          /name: job \d+/,
          `name: circle ${name}`,
        ),
      )
      .join('');
    const { body } = await importing(circle);
    expect(body.plans.map(({ name }) => name)).toEqual(['circle b', 'circle a']);
    const types = await Promise.all(
      body.plans.map(async ({ planId }) => (await admin.api.get<Plan>(`/api/plans/${planId}`)).body.steps[0]?.type),
    );
    expect(types).toEqual(['gate', 'plan']);
  });

  it('is refused if a plan with its name exists', async () => {
    const text = job('    - exec: "true"\n');
    const { plan } = await imported(text);
    const { body } = await importing(text);
    expect(body.plans).toEqual([]);
    expect(body.notCarried).toMatchObject([{ job: plan.name, what: 'job', line: 1 }]);
  });

  it('starts with a gate if its hosts cannot be determined', async () => {
    const local = await imported('- name: local\n  sequence:\n    commands:\n    - exec: hostname\n');
    expect(local.plan.steps).toMatchObject([{ key: 'check-targets', type: 'gate' }, { command: 'hostname' }]);
    const odd = await imported(
      '- name: odd\n  nodefilters: {filter: "tags: a,b"}\n  sequence:\n    commands:\n    - exec: hostname\n',
    );
    expect(odd.plan.steps[0]).toMatchObject({
      type: 'gate',
      message: expect.stringContaining('tags: a,b') as unknown as string,
    });
    expect(odd.notCarried).toContain('2 - node filter');
  });

  it('drops and reports unsupported patterns and references without a meaning', async () => {
    const { plan, notCarried } = await imported(
      job('    - exec: echo ${job.user.name} ${option.a}\n', '  options:\n  - name: a\n    regex: (?<=x)y\\1\n'),
    );
    expect(plan.variables).toEqual([{ name: 'a', type: 'string', required: false }]);
    expect(plan.steps).toMatchObject([
      {
        type: 'gate',
        placeholder: true,
        message: expect.stringContaining('echo ${job.user.name}') as unknown as string,
      },
    ]);
    expect(notCarried).toEqual(['6 - option a: regex', '12 1 reference job.user.name']);
  });

  it('is created together with all other jobs of the text, or not at all', async () => {
    const two = job('    - exec: echo 1\n') + job('    - exec: echo 2\n');
    const { body } = await importing(two);
    expect(body.plans.map(({ action }) => action)).toEqual(['create', 'create']);
    const third = job('    - exec: echo 3\n');
    const broken = await importing(`${third}- name: broken\n`);
    expect([broken.status, broken.body.errors?.[0]?.code, broken.body.errors?.[0]?.line]).toEqual([
      400,
      'wrong_type',
      10,
    ]);
    expect((await importing(third, { environmentId: place.collectionId })).status).toBe(404);
    expect((await importing(third, { preview: true })).body.plans).toMatchObject([{ action: 'create' }]);
  });

  it('is refused with an invisible character in its name; names of steps lose it', async () => {
    const step = '      - exec: "true"\n        description: "a\\u202Eb"\n';
    const { plan } = await imported(job(step));
    expect(plan.steps.map(({ name }) => name)).toEqual(['1-a-b']);
    const named = await importing(job(step).replace(/name: .*/, 'name: "a\\u202Eb"'));
    expect(named.body).toMatchObject({
      plans: [],
      notCarried: [{ reason: { text: expect.stringContaining('U+202E') } }],
    });
  });

  it('may be JSON', async () => {
    const text = JSON.stringify([
      { name: 'from json', nodefilters: { filter: '.*' }, sequence: { commands: [{ exec: 'uptime' }] } },
    ]);
    expect((await imported(text)).plan).toMatchObject({
      name: 'from json',
      targets: '',
      steps: [{ command: 'uptime' }],
    });
  });

  it('rejects XML with its own code in each request that accepts a text', async () => {
    const xml = '<joblist>\n  <job>\n    <name>restart</name>\n  </job>\n</joblist>\n';
    const place = { line: 1, column: 1 };
    const error = { code: 'rundeck_xml', ...place };
    for (const format of ['rundeck', 'plan'])
      expect(await importing(xml, { format })).toMatchObject({ status: 400, body: { errors: [error] } });
    const checked = await admin.api.post('/api/plans/check', { content: xml });
    expect(checked.body).toMatchObject({ faults: [{ reason: { code: 'rundeck_xml' }, ...place }], plan: null });
  });

  it.each([
    ['nothing', '# nothing\n'],
    ['a plan', 'name: x\nsteps: []\n'],
    ['a text', 'hello'],
    ['an alias', '- &a {name: x, sequence: {}}\n- *a\n'],
  ])('rejects a text without jobs and reports the line: %s', async (_, text) => {
    const { status, body } = await importing(text);
    expect([status, typeof body.errors?.[0]?.line]).toEqual([400, 'number']);
  });
});
