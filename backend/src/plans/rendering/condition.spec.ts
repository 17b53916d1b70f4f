import { describe, expect, it } from '@jest/globals';
import { checkCondition, findConditionNeeds, type ConditionScope, evaluateCondition } from './condition.js';
import { CommandTemplateError } from './render-command.js';

const values = [
  { name: 'force', value: true, secret: false },
  { name: 'off', value: false, secret: false },
  { name: 'port', value: 8080, secret: false },
  { name: 'release', value: 'v2', secret: false },
  { name: 'zones', value: ['eu', 'us'], secret: false },
  { name: 'note', value: null, secret: false },
  { name: 'TOKEN', value: 'hunter2', secret: true },
];
const facts: ConditionScope['facts'] = {
  host: { name: 'web-1', tags: { role: 'web', 'app/tier': 'gold' } },
  steps: {
    build: { status: 'SUCCEEDED', changed: true, exitCode: 0, outputs: { version: 'v2', count: '5' } },
    '1-try': { status: 'FAILED', changed: false, exitCode: 3, outputs: {} },
  },
};
const earlier = [
  { key: 'build', outputs: ['version', 'count', 'missing'] },
  { key: '1-try', outputs: [] },
  { key: 'skipped', outputs: ['version'] },
];
const holds = (text: string) => evaluateCondition(text, { values, facts });
const problems = (text: string) => checkCondition(text, values, earlier, '/steps/3/when');
const codes = (text: string) => problems(text).map(({ code }) => code);

describe('condition', () => {
  it.each([
    ['force', true],
    ['off', false],
    ['not off', true],
    ['note', false],
    ['port > 80 and release == "v2"', true],
    ['port < 80 or off', false],
    ['zones contains "eu"', true],
    ['zones.size == 2', true],
    ['release == "v2"\n  and force', true],
    ['host.name == "web-1"', true],
    ['host.name contains "db"', false],
    ['host.tags.role == "web"', true],
    ['host.tags["app/tier"] == "gold"', true],
    ['host.tags.legacy', false],
    ['host.tags.role != "db" and host.tags.legacy == nil', true],
    ['steps.build.changed', true],
    ['steps.build.status == "SUCCEEDED" and steps.build.exitCode == 0', true],
    ['steps.1-try.status == "FAILED"', true],
    ["steps['1-try'].exitCode == 3", true],
    ['steps.build.outputs.version == release', true],
    ['steps.build.outputs.count > 4', true],
    ['steps.build.outputs.count == "5"', true],
    ['true', true],
    ['"}" == "}"', true],
  ])('evaluates %j to %j', (text, expected) => {
    expect(problems(text)).toEqual([]);
    expect(holds(text)).toBe(expected);
  });

  it('treats missing values as false and unequal to everything', () => {
    for (const missing of ['steps.build.outputs.missing', 'steps.skipped.outputs.version', 'steps.skipped.status']) {
      expect(problems(`${missing} == "x"`)).toEqual([]);
      expect([holds(missing), holds(`${missing} == "x"`), holds(`${missing} != "x"`)]).toEqual([false, false, true]);
      expect([holds(`${missing} == nil`), holds(`${missing} contains "x"`)]).toEqual([true, false]);
    }
    expect([holds('steps.skipped.changed'), holds('steps.skipped.exitCode > 0')]).toEqual([false, false]);
  });

  it.each([
    ['', 'invalid_condition'],
    [' \n', 'invalid_condition'],
    ['x'.repeat(2001), 'invalid_condition'],
    ['{{ force }}', 'invalid_condition'],
    ['force %}{% endif %}{{ TOKEN }}{% if true', 'invalid_condition'],
    ['force -%}x', 'invalid_condition'],
    ['force port', 'invalid_condition'],
    ['force, port', 'invalid_condition'],
    ['port >', 'invalid_condition'],
    ['== 5', 'invalid_condition'],
    ['force && off', 'invalid_condition'],
    ['(force)', 'invalid_condition'],
    ['release | nope', 'invalid_condition'],
    ['release.length', 'invalid_condition'],
    ['steps.build.outputs.count == 5', 'invalid_condition'],
    ['force and 5 != host.tags.role', 'invalid_condition'],
    ['steps.build.outputs.version == true', 'invalid_condition'],
    ['relaese', 'unknown_variable'],
    ['TOKEN', 'secret_in_expression'],
    ['TOKEN == "hunter2"', 'secret_in_expression'],
    ['host', 'unknown_fact'],
    ['host.address', 'unknown_fact'],
    ['host.tags', 'unknown_fact'],
    ['host.tags[release]', 'unknown_fact'],
    ['steps', 'unknown_fact'],
    ['steps[release].changed', 'unknown_fact'],
    ['steps.build', 'unknown_fact'],
    ['steps.build.output.version', 'unknown_fact'],
    ['steps.build.outputs', 'unknown_fact'],
    ['steps.build.status.size', 'unknown_fact'],
    ['steps.bulid.changed', 'unknown_step'],
    ['steps.__proto__.changed', 'unknown_step'],
    ['steps.build.outputs.verison', 'unknown_output'],
    ['steps.1-try.outputs.version', 'unknown_output'],
    ['steps.build.outputs[release]', 'unknown_output'],
  ])('rejects %j with code %s and a clear message', (text, code) => {
    expect(codes(text)).toEqual([code]);
    expect(problems(text)[0]).toMatchObject({
      path: '/steps/3/when',
      message: expect.stringMatching(/^["=A-Za-z].{20,}[.?]$/s),
    });
    expect(problems(text)[0]?.message).not.toContain('hunter2');
  });

  it('suggests similar names', () => {
    expect(problems('steps.bulid.changed')[0]?.message).toBe(
      'No step "bulid" comes before this one. Did you mean "build"?',
    );
    expect(problems('steps.build.outputs.verison')[0]?.message).toContain('Did you mean "version"?');
    expect(problems('relaese')[0]?.message).toContain('Did you mean "release"?');
  });

  it('can use a variable called host, which hides the host', () => {
    const own = [{ name: 'host', value: 'db-1', secret: false }];
    expect(checkCondition('host == "db-1"', own, [])).toEqual([]);
    expect(evaluateCondition('host == "db-1"', { values: own, facts })).toBe(true);
    expect(checkCondition('host.name == "db-1"', own, [])[0]?.code).toBe('invalid_condition');
    expect(findConditionNeeds('host == "db-1"', own)).toEqual({ steps: false, host: false });
  });

  it('fails with a clear message if a value does not fit', () => {
    expect(() => holds('release | first')).toThrow(CommandTemplateError);
    expect(() => holds('release | first')).toThrow(/^Line 1, release \| first: .*needs a list/);
    expect(() => holds('steps.build.outputs.missing | upcase')).toThrow(/"build" did not set its output "missing"/);
    expect(() => holds('nope')).toThrow(CommandTemplateError);
  });

  it('cannot access inherited properties', () => {
    expect(holds('host.tags.__proto__ or host.tags.constructor')).toBe(false);
    expect(codes('release.constructor')).toEqual(['invalid_condition']);
    expect(codes('steps.build.constructor')).toEqual(['unknown_fact']);
  });

  it('reports which facts it uses', () => {
    expect(findConditionNeeds('force and port > 5')).toEqual({ steps: false, host: false });
    expect(findConditionNeeds('host.tags.role == "web"')).toEqual({ steps: false, host: true });
    expect(findConditionNeeds('force or steps.build.changed')).toEqual({ steps: true, host: false });
    expect(findConditionNeeds('steps.build.changed and host.name == "a"')).toEqual({ steps: true, host: true });
  });
});
