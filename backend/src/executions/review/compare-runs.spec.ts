import { describe, expect, it } from '@jest/globals';
import { EMPTY_PLAN } from '../../plans/steps/plan-content.js';
import { type PlanStep, STEP_DEFAULTS } from '../../plans/steps/types/step-types.js';
import type { FrozenHost } from '../record/snapshot.js';
import { type ComparedRun, compareRuns, limitDifferences } from './compare-runs.js';

const command = (key: string, text: string, more: object = {}): PlanStep => ({
  ...STEP_DEFAULTS.command,
  key,
  name: key,
  command: text,
  ...more,
});
const HOST: FrozenHost = {
  server_id: '1',
  ordinal: 0,
  name: 'web-1',
  hostname: '10.0.0.5',
  port: 22,
  username: 'deploy',
  ssh_key_id: 'key',
  host_key: null,
  more_host_keys: null,
  jump_server_id: null,
  tags: { role: 'web' },
};

function run({
  snapshot,
  ...changes
}: Partial<Omit<ComparedRun, 'snapshot'>> & { snapshot?: object } = {}): ComparedRun {
  return {
    planRevision: 1,
    environmentName: 'production',
    hosts: [HOST],
    secrets: { TOKEN: 'hash' },
    snapshot: {
      plan: { ...EMPTY_PLAN, steps: [command('one', 'true'), command('two', 'reboot')] },
      variables: { RELEASE: 'v1', PORTS: [80, 443] },
      secretNames: ['TOKEN'],
      secretVersions: { TOKEN: '1' },
      sshKeys: { key: 'SHA256:old' },
      targets: '',
      given: [],
      ...snapshot,
    },
    ...changes,
  };
}
const withSteps = (...steps: PlanStep[]) => run({ snapshot: { plan: { ...EMPTY_PLAN, steps } } });
const withHost = (changes: Partial<FrozenHost>) => run({ hosts: [{ ...HOST, ...changes }] });
const differences = (after: ComparedRun) => compareRuns(run(), after);

describe('two runs that would do the same', () => {
  it('do not differ in spite of other revisions or sources of values', async () => {
    expect(await differences(run({ planRevision: 7, snapshot: { given: ['RELEASE'] } }))).toEqual([]);
  });
});

describe('differences of two runs', () => {
  it('contain a changed step as a whole, with a line per setting', async () => {
    const [first, ...more] = await differences(
      withSteps(
        command('one', 'true', { become: 'root', retries: { count: 2, delaySeconds: 1, backoff: 'constant' } }),
        command('two', 'reboot'),
      ),
    );
    expect(more).toEqual([]);
    expect(first).toMatchObject({ kind: 'step', name: 'one', change: 'changed' });
    expect(first?.before).not.toContain('become');
    expect(first?.after?.split('\n')).toEqual(
      expect.arrayContaining(['true', 'become: root', 'retries: count=2, delaySeconds=1, backoff=constant']),
    );
  });

  it.each([
    ['become', { become: 'root' }],
    ['always', { always: true }],
    ['confirm', { confirm: true }],
    ['runOnce', { runOnce: true }],
    ['targets', { targets: 'role=db' }],
    ['when', { when: 'RELEASE == "v2"' }],
    ['batch', { batch: '25%' }],
    ['maxFailPercent', { maxFailPercent: 10 }],
    ['onFailure', { onFailure: 'continue' }],
    ['onlyIfChanged', { onlyIfChanged: ['two'] }],
    ['timeoutSeconds', { timeoutSeconds: 5 }],
    ['workingDirectory', { workingDirectory: '/srv' }],
    ['environment', { environment: { A: 'b' } }],
    ['okExitCodes', { okExitCodes: [0, 3] }],
    ['changedExitCodes', { changedExitCodes: [2] }],
    ['unless', { unless: 'true' }],
    ['check', { check: 'true' }],
    ['readOnly', { readOnly: true }],
    ['idempotent', { idempotent: true }],
    ['outputs', { outputs: ['A'] }],
  ])('contain a change of only %s of a step', async (name, change) => {
    const found = await differences(withSteps(command('one', 'true', change), command('two', 'reboot')));
    expect(found.map((each) => `${each.kind} ${each.name}`)).toEqual(['step one']);
    expect(found[0]?.after).toContain(`${name}: `);
  });

  it('contain maxFailPercent of a step even if it is zero', async () => {
    const found = await differences(withSteps(command('one', 'true', { maxFailPercent: 0 }), command('two', 'reboot')));
    expect(found[0]?.after).toContain('maxFailPercent: 0');
  });

  it('name added, removed and moved steps', async () => {
    const found = await differences(
      withSteps(command('two', 'reboot'), command('three', 'true'), command('one', 'true')),
    );
    expect(found.map(({ kind, name, change }) => `${kind} ${name} ${change}`)).toEqual([
      'step three added',
      'setting order of the steps changed',
    ]);
    expect(found[1]).toMatchObject({ before: 'one, two', after: 'two, one' });
  });

  it('name changed settings, environment and targets with both values', async () => {
    const plan = {
      ...EMPTY_PLAN,
      steps: run().snapshot.plan.steps,
      timeoutSeconds: 60,
      locks: ['a', 'b'],
      parallelSafe: true,
      strategy: 'free' as const,
    };
    const found = await differences(run({ environmentName: 'staging', snapshot: { plan, targets: 'name=web-1' } }));
    expect(found.map(({ name, before, after }) => [name, before, after])).toEqual([
      ['environment', 'production', 'staging'],
      ['timeoutSeconds', '', '60'],
      ['strategy', 'barrier', 'free'],
      ['parallelSafe', '', 'true'],
      ['locks', '', 'a, b'],
      ['targets of the start', '', 'name=web-1'],
    ]);
  });

  it('contain changed definitions of variables', async () => {
    const plan = (more: object) => ({
      ...run().snapshot.plan,
      variables: [{ name: 'A', type: 'string', required: false, choices: [], ...more }],
    });
    const found = await compareRuns(
      run({ snapshot: { plan: plan({}) } }),
      run({ snapshot: { plan: plan({ choices: ['x', 'y'] }) } }),
    );
    expect(found).toMatchObject([{ kind: 'setting', name: 'definition of A', change: 'changed' }]);
    expect(found[0]?.after).toContain('choices: x, y');
  });

  it('contain changed values, and for secrets only the fact', async () => {
    const variables = { RELEASE: 'v2', PORTS: [80], NEW: true };
    const found = await differences(run({ secrets: { TOKEN: 'other', MORE: 'hash' }, snapshot: { variables } }));
    expect(found).toEqual([
      { kind: 'variable', name: 'RELEASE', change: 'changed', before: 'v1', after: 'v2' },
      { kind: 'variable', name: 'PORTS', change: 'changed', before: expect.any(String), after: expect.any(String) },
      { kind: 'variable', name: 'NEW', change: 'added', before: null, after: 'true' },
      { kind: 'secret', name: 'TOKEN', change: 'changed', before: null, after: null },
      { kind: 'secret', name: 'MORE', change: 'added', before: null, after: null },
    ]);
  });

  it('contain a changed version of a secret, even with the same value', async () => {
    expect(await differences(run({ snapshot: { secretVersions: { TOKEN: '2' } } }))).toMatchObject([
      { kind: 'secret', name: 'TOKEN', change: 'changed' },
    ]);
  });

  it.each([
    ['its address', withHost({ hostname: '10.0.0.6' }), 'deploy@10.0.0.6:22'],
    ['its port', withHost({ port: 2222 }), 'deploy@10.0.0.5:2222'],
    ['its user', withHost({ username: 'root' }), 'root@10.0.0.5:22'],
    ['its tags', withHost({ tags: { role: 'db', a: 'b' } }), 'tags a=b, role=db'],
    ['its SSH key', run({ snapshot: { sshKeys: { key: 'SHA256:new' } } }), 'SSH key SHA256:new'],
    [
      'its host key',
      withHost({ host_key: { type: 'ssh-ed25519', publicKey: 'AAAA', fingerprint: 'SHA256:pin' } }),
      'host key SHA256:pin',
    ],
  ])('contain a host that changed %s', async (_, after, text) => {
    const found = await differences(after);
    expect(found).toMatchObject([{ kind: 'host', name: 'web-1', change: 'changed' }]);
    expect(found[0]?.after?.split('\n')).toContain(text);
    expect(found[0]?.before?.split('\n')).not.toContain(text);
  });

  it('name added and removed hosts', async () => {
    const found = await differences(run({ hosts: [{ ...HOST, server_id: '2', name: 'web-2' }] }));
    expect(found.map(({ name, change }) => `${name} ${change}`)).toEqual(['web-1 removed', 'web-2 added']);
  });

  it('are limited, with the number of further ones', async () => {
    const steps = Array.from({ length: 250 }, (_, index) => command(`step-${index}`, 'true'));
    const before = run();
    const after = run({ snapshot: { plan: { ...before.snapshot.plan, steps } } });
    const all = await compareRuns(before, after);
    expect(all.length).toBeGreaterThan(200);
    expect(limitDifferences(all)).toEqual({ differences: all.slice(0, 200), moreDifferences: all.length - 200 });
    expect(limitDifferences(all.slice(0, 3))).toEqual({ differences: all.slice(0, 3), moreDifferences: 0 });
  });
});
