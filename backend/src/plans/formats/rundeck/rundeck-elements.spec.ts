import { describe, expect, it } from '@jest/globals';
import type { YamlTree } from '../../code/plan-text.js';
import { readYaml } from '../../code/read-yaml.js';
import { convertJobs } from './convert-jobs.js';

type Fields = { [name: string]: YamlTree };

interface Step extends Fields {
  type: string;
}

function convert(...jobs: Fields[]) {
  const { plans, notCarried, faults } = convertJobs(readYaml(JSON.stringify(jobs), 'texts'));
  expect(faults).toEqual([]);
  const [plan] = plans.slice(-1);
  const steps = (plan?.value.steps ?? []) as Step[];
  return { plan: plan?.value ?? {}, steps, told: notCarried.map(({ what }) => what) };
}

const STEP = { exec: 'uptime' };
const SEQUENCE = { keepgoing: false, strategy: 'sequential', commands: [STEP] };
const FILTERS = { filter: 'tags: web', dispatch: { threadcount: '1', keepgoing: false } };
const JOB: Fields = { name: 'job', nodefilters: FILTERS, sequence: SEQUENCE };
const OPTION = { name: 'x' };

const ofJob = (fields: Fields): Fields => ({ ...JOB, ...fields });
const ofSequence = (fields: Fields): Fields => ofJob({ sequence: { ...SEQUENCE, ...fields } });
const ofFilters = (fields: Fields): Fields => ofJob({ nodefilters: { ...FILTERS, ...fields } });
const ofDispatch = (fields: Fields): Fields => ofFilters({ dispatch: { ...FILTERS.dispatch, ...fields } });
const ofOption = (fields: Fields): Fields => ofJob({ options: [{ ...OPTION, ...fields }] });
const ofStep = (fields: Fields): Fields => ofSequence({ commands: [{ ...STEP, ...fields }] });
const ofScript = (fields: Fields): Fields => ofSequence({ commands: [{ script: 'uptime', ...fields }] });
const ofHandler = (fields: Fields): Fields => ofStep({ errorhandler: { exec: 'true', ...fields } });
const ofCall = (fields: Fields): Fields =>
  ofJob({ nodefilters: null, sequence: { ...SEQUENCE, commands: [{ jobref: { name: 'other', ...fields } }] } });

const PLAIN = convert(JOB);
const isPlaceholder = ({ type, placeholder }: Step) => type === 'gate' && placeholder === true;

/**
 * `carried`: the plan has the same setting. `listed`: reported, commands are unchanged. `stops`: a gate stops the run.
 */
type ElementHandling = 'carried' | 'listed' | 'stops';

const UNKNOWN = { unheardOf: 'value' };
const ELEMENTS: [string, Fields, ElementHandling][] = [
  ['job: description', ofJob({ description: 'd' }), 'carried'],
  ['job: timeout', ofJob({ timeout: '5m' }), 'carried'],
  ['job: timeout of an option', ofJob({ timeout: '${option.t}' }), 'listed'],
  ['job: multipleExecutions', ofJob({ multipleExecutions: true }), 'carried'],
  ['job: maxMultipleExecutions', ofJob({ maxMultipleExecutions: '3' }), 'listed'],
  ['job: group', ofJob({ group: 'g' }), 'listed'],
  ['job: schedule', ofJob({ schedule: { crontab: '0 0 3 ? * * *' } }), 'listed'],
  ['job: schedules', ofJob({ schedules: [{ name: 's' }] }), 'listed'],
  ['job: notification', ofJob({ notification: { onfailure: { email: { recipients: 'a' } } } }), 'listed'],
  ['job: notifyAvgDurationThreshold', ofJob({ notifyAvgDurationThreshold: '10' }), 'listed'],
  ['job: retry', ofJob({ retry: { retry: '3', delay: '1m' } }), 'listed'],
  ['job: retry as a text', ofJob({ retry: '3' }), 'listed'],
  ['job: orchestrator', ofJob({ orchestrator: { type: 'subset', configuration: { count: '1' } } }), 'stops'],
  ['job: plugins', ofJob({ plugins: { ExecutionLifecycle: { killhandler: {} } } }), 'listed'],
  ['job: loglimit', ofJob({ loglimit: '10MB' }), 'listed'],
  ['job: loglimitAction', ofJob({ loglimitAction: 'halt' }), 'listed'],
  ['job: loglimitStatus', ofJob({ loglimitStatus: 'failed' }), 'listed'],
  ['job: loglevel', ofJob({ loglevel: 'DEBUG' }), 'listed'],
  ['job: runnerSelector', ofJob({ runnerSelector: { filter: 'x' } }), 'listed'],
  ['job: executionEnabled', ofJob({ executionEnabled: false }), 'stops'],
  ['job: nodesSelectedByDefault', ofJob({ nodesSelectedByDefault: false }), 'listed'],
  ['job: doNodedispatch', ofJob({ doNodedispatch: false }), 'stops'],
  ['job: no node filter', ofJob({ nodefilters: null }), 'stops'],
  ['job: an unknown field', ofJob(UNKNOWN), 'stops'],
  ['sequence: keepgoing', ofSequence({ keepgoing: true }), 'listed'],
  ['sequence: parallel', ofSequence({ strategy: 'parallel' }), 'listed'],
  ['sequence: ruleset', ofSequence({ strategy: 'ruleset' }), 'stops'],
  ['sequence: pluginConfig', ofSequence({ pluginConfig: { LogFilter: [{ type: 'mask-passwords' }] } }), 'listed'],
  ['sequence: an unknown field', ofSequence(UNKNOWN), 'stops'],
  ['sequence: 200 steps', ofSequence({ commands: Array.from({ length: 200 }, () => STEP) }), 'stops'],
  ['filters: no filter', ofJob({ nodefilters: { dispatch: { threadcount: '1' } } }), 'stops'],
  ['filters: one of two tags', ofFilters({ filter: 'tags: a,b' }), 'stops'],
  ['filters: an address', ofFilters({ filter: 'hostname: 10.0.0.1' }), 'stops'],
  ['filters: excluding', ofFilters({ filterExclude: 'name: web-1' }), 'carried'],
  ['filters: excluding a name', ofFilters({ filterExclude: 'web-1' }), 'carried'],
  ['filters: excluding several', ofFilters({ filterExclude: 'tags: a name: b' }), 'stops'],
  ['filters: excluding by what can not be read', ofFilters({ filterExclude: 'name: a or b' }), 'stops'],
  ['filters: include', ofFilters({ filter: null, include: { tags: 'web', os: 'linux' } }), 'carried'],
  ['filters: exclude', ofFilters({ exclude: { name: 'web-1' } }), 'carried'],
  ['filters: exclude as a text', ofFilters({ exclude: 'web-1' }), 'stops'],
  ['filters: an unknown field', ofFilters(UNKNOWN), 'stops'],
  ['dispatch: threadcount', ofDispatch({ threadcount: '5' }), 'carried'],
  ['dispatch: threadcount of an option', ofDispatch({ threadcount: '${option.n}' }), 'listed'],
  ['dispatch: keepgoing', ofDispatch({ keepgoing: true }), 'carried'],
  ['dispatch: rankAttribute', ofDispatch({ rankAttribute: 'rank' }), 'listed'],
  ['dispatch: rankOrder', ofDispatch({ rankOrder: 'descending' }), 'listed'],
  ['dispatch: successOnEmptyNodeFilter', ofDispatch({ successOnEmptyNodeFilter: true }), 'listed'],
  [
    'dispatch: excludePrecedence',
    ofFilters({ exclude: { name: 'a' }, dispatch: { excludePrecedence: false } }),
    'stops',
  ],
  ['dispatch: an unknown field', ofDispatch(UNKNOWN), 'listed'],
  ['option: required', ofOption({ required: true }), 'carried'],
  ['option: value', ofOption({ value: 'v' }), 'carried'],
  ['option: value with a global', ofOption({ value: '${globals.root}/x' }), 'listed'],
  ['option: value with what Rundeck does not replace there', ofOption({ value: '${job.execid}' }), 'carried'],
  ['option: description', ofOption({ description: 'd' }), 'carried'],
  ['option: regex', ofOption({ regex: 'a+' }), 'carried'],
  ['option: enforced values', ofOption({ enforced: true, values: ['a', 'b'] }), 'carried'],
  [
    'option: enforced values as a text',
    ofOption({ enforced: true, values: 'a;b', valuesListDelimiter: ';' }),
    'carried',
  ],
  ['option: values', ofOption({ values: ['a'] }), 'listed'],
  ['option: valuesUrl', ofOption({ valuesUrl: 'https://x.example' }), 'listed'],
  ['option: valuesFromPlugin', ofOption({ valuesFromPlugin: 'x' }), 'listed'],
  ['option: optionValuesPlugin', ofOption({ optionValuesPlugin: 'x' }), 'listed'],
  ['option: multivalued', ofOption({ multivalued: true }), 'listed'],
  ['option: delimiter', ofOption({ multivalued: true, delimiter: ';' }), 'listed'],
  ['option: multivalueAllSelected', ofOption({ multivalued: true, multivalueAllSelected: true }), 'listed'],
  ['option: hidden', ofOption({ hidden: true, value: 'v' }), 'listed'],
  ['option: isDate', ofOption({ isDate: true }), 'listed'],
  ['option: dateFormat', ofOption({ dateFormat: 'MM/dd' }), 'listed'],
  ['option: file', ofOption({ type: 'file' }), 'listed'],
  ['option: another type', ofOption({ type: 'multiline' }), 'listed'],
  ['option: secure', ofOption({ secure: true }), 'listed'],
  ['option: exposed secret', ofOption({ secure: true, valueExposed: true }), 'carried'],
  ['option: storagePath', ofOption({ secure: true, storagePath: 'keys/x' }), 'listed'],
  ['option: an unknown field', ofOption(UNKNOWN), 'listed'],
  ['step: description', ofStep({ description: 'd' }), 'carried'],
  ['step: plugins', ofStep({ plugins: { LogFilter: [{ type: 'x' }] } }), 'listed'],
  ['step: an error handler', ofStep({ errorhandler: { exec: 'true' } }), 'carried'],
  ['step: two kinds', ofStep({ script: 'x' }), 'stops'],
  ['step: script fields beside a command', ofStep({ fileExtension: 'py' }), 'stops'],
  ['step: an unknown field', ofStep(UNKNOWN), 'stops'],
  ['step: nothing', ofSequence({ commands: [{}] }), 'stops'],
  ['step: a text', ofSequence({ commands: ['uptime'] }), 'stops'],
  ['step: all switched off', ofStep({ enabled: false }), 'stops'],
  ['step: scriptfile', ofSequence({ commands: [{ scriptfile: '/x.sh', args: 'a' }] }), 'stops'],
  ['step: scripturl', ofSequence({ commands: [{ scripturl: 'https://x.example' }] }), 'stops'],
  ['step: plugin', ofSequence({ commands: [{ type: 'x', nodeStep: true, configuration: { a: 'b' } }] }), 'stops'],
  ['script: args', ofScript({ args: 'a b' }), 'carried'],
  ['script: scriptInterpreter', ofScript({ scriptInterpreter: 'bash -e' }), 'carried'],
  ['script: sudo', ofScript({ scriptInterpreter: 'sudo -u app' }), 'carried'],
  ['script: other options of sudo', ofScript({ scriptInterpreter: 'sudo -H -u app sh' }), 'stops'],
  ['script: an interpreter of an option', ofScript({ scriptInterpreter: '${globals.shell}' }), 'stops'],
  ['script: fileExtension', ofScript({ scriptInterpreter: 'pwsh', fileExtension: '.ps1' }), 'carried'],
  ['script: an odd fileExtension', ofScript({ fileExtension: 'a/b' }), 'stops'],
  ['script: interpreterArgsQuoted', ofScript({ interpreterArgsQuoted: true, args: 'a' }), 'stops'],
  ['script: an unknown field', ofScript(UNKNOWN), 'stops'],
  ['handler: keepgoingOnSuccess', ofHandler({ keepgoingOnSuccess: true }), 'carried'],
  ['handler: a reference', ofHandler({ exec: 'echo ${result.message}' }), 'listed'],
  ['handler: scriptfile', ofStep({ errorhandler: { scriptfile: '/x.sh' } }), 'listed'],
  ['handler: a job', ofStep({ errorhandler: { jobref: { name: 'x' } } }), 'listed'],
  ['handler: plugin', ofStep({ errorhandler: { type: 'x' } }), 'listed'],
  ['handler: another user', ofStep({ errorhandler: { script: 'x', scriptInterpreter: 'sudo' } }), 'listed'],
  ['handler: an unknown field', ofHandler(UNKNOWN), 'listed'],
  ['handler: a text', ofStep({ errorhandler: 'x' }), 'listed'],
  ['call: of a plan that is there', ofCall({}), 'listed'],
  ['call: group', ofCall({ group: 'g' }), 'listed'],
  ['call: project', ofCall({ project: 'p' }), 'listed'],
  ['call: by id', ofJob({ sequence: { ...SEQUENCE, commands: [{ jobref: { uuid: 'u' } }] } }), 'stops'],
  ['call: texts around options', ofCall({ args: '-a x${option.b}' }), 'stops'],
  ['call: importOptions', ofCall({ importOptions: true }), 'stops'],
  ['call: nodefilters', ofCall({ nodefilters: { filter: 'tags: db' } }), 'stops'],
  ['call: nodeStep', ofCall({ nodeStep: true }), 'stops'],
  ['call: failOnDisable', ofCall({ failOnDisable: true }), 'listed'],
  ['call: ignoreNotifications', ofCall({ ignoreNotifications: true }), 'listed'],
  ['call: an unknown field', ofCall(UNKNOWN), 'stops'],
  ['call: from hosts of its own', ofSequence({ commands: [{ jobref: { name: 'other' } }] }), 'stops'],
];

describe('element of a Rundeck job', () => {
  it.each(ELEMENTS)('is converted, reported or stops the run: %s', (_, job, handling) => {
    const { plan, steps, told: reported } = convert(job);
    const isCall = JSON.stringify(job).includes('jobref');
    if (handling === 'carried')
      expect({ told: reported, same: JSON.stringify(plan) === JSON.stringify(PLAIN.plan) }).toEqual({
        told: [],
        same: false,
      });
    else expect(reported.length).toBeGreaterThan(0);
    expect(steps.some(isPlaceholder)).toBe(handling === 'stops');
    if (handling === 'listed' && !isCall) expect(steps.map(({ command }) => command)).toEqual(['uptime']);
  });

  it('does not run a disabled step', () => {
    const { steps, told: reported } = convert(ofSequence({ commands: [{ exec: 'reboot', enabled: false }, STEP] }));
    expect([steps.map(({ command }) => command), reported]).toEqual([['uptime'], ['step']]);
  });

  it('reports a reference in a command that Rundeck replaces only in scripts', () => {
    const kept: Fields[] = [{ exec: 'ls @option.x@' }, { exec: 'ls', errorhandler: { exec: 'ls @option.x@' } }];
    for (const step of kept) {
      const { steps, told: reported } = convert(
        ofJob({ options: [OPTION], sequence: { ...SEQUENCE, commands: [step] } }),
      );
      expect(steps[0]?.command).toContain('ls @option.x@');
      expect(reported).toEqual(['reference @option.x@']);
    }
  });

  it('makes a variable required if its default is lost', () => {
    const lost: Fields[] = [
      { secure: true, storagePath: 'keys/x' },
      { secure: true, value: 'x' },
      { enforced: true, values: ['a'], value: 'b' },
      { value: '${globals.root}/x' },
      { multivalued: true, multivalueAllSelected: true, values: ['a'] },
    ];
    for (const fields of lost) {
      const [variable] = convert(ofOption(fields)).plan.variables as Fields[];
      expect(variable).toMatchObject({ required: true });
      expect(variable).not.toHaveProperty('default');
    }
  });
});

describe('unconverted step', () => {
  const NOT_CARRIED: Fields[] = [
    ...['job.username', 'globals.x', 'node.os-family', 'data.x', '2:data.x', 'file.x', 'option.nobody', 'export.x']
      .map((name) => `\${${name}}`)
      .flatMap((reference): Fields[] => [
        { exec: `echo ${reference}` },
        { exec: `echo ${reference} || true` },
        { exec: `(echo ${reference}) || :` },
        { exec: `echo '${reference}' | cat` },
        { exec: `x=$(echo "${reference}"); true` },
        { exec: `! test ${reference} = x` },
        { script: 'true', args: reference },
        { script: 'true', scriptInterpreter: `env A=${reference} sh` },
      ]),
    ...['job.username', 'globals.x', 'node.name', 'data.x', 'option.nobody'].flatMap((name): Fields[] => [
      { script: `#!/bin/bash\nset +e\necho @${name}@\ntrue` },
      { script: `print("@${name}@")`, scriptInterpreter: 'python3' },
    ]),
    ...['RD_JOB_USERNAME', 'RD_NODE_NAME', 'RD_GLOBALS_X', 'RD_OPTION_NOBODY', 'RD_FILE_X', 'RD_DATA_X'].flatMap(
      (name): Fields[] => [
        { exec: `echo "$${name}" || true` },
        { script: `import os; print(os.environ["${name}"])`, scriptInterpreter: 'python3' },
      ],
    ),
    { scriptfile: '/x.sh' },
    { scripturl: 'https://x.example' },
    { type: 'x' },
    {},
  ];
  const STEP_CONTEXTS: [string, (step: Fields) => Fields][] = [
    ['alone', (step) => ofSequence({ commands: [step] })],
    ['with an error handler', (step) => ofSequence({ commands: [{ ...step, errorhandler: { exec: 'true' } }] })],
    [
      'with a handler that makes it succeed',
      (step) => ofSequence({ commands: [{ ...step, errorhandler: { script: 'exit 0', keepgoingOnSuccess: true } }] }),
    ],
    ['in a sequence that continues', (step) => ofSequence({ keepgoing: true, commands: [step, STEP] })],
    [
      'on hosts that may all fail',
      (step) =>
        ofJob({ nodefilters: { ...FILTERS, dispatch: { keepgoing: true } }, sequence: { commands: [step, STEP] } }),
    ],
    ['after a disabled step', (step) => ofSequence({ commands: [{ ...STEP, enabled: false }, step] })],
    ['with a log filter', (step) => ofSequence({ commands: [{ ...step, plugins: { LogFilter: [{ type: 'x' }] } }] })],
    ['in a script of a handler', (step) => ofSequence({ commands: [{ ...step, errorhandler: { ...step } }] })],
  ];

  it.each(STEP_CONTEXTS)('becomes a placeholder in every context, and is reported: %s', (_, putInContext) => {
    for (const step of NOT_CARRIED) {
      const { steps, told: reported } = convert(putInContext(step));
      const odd = steps.filter(({ command }) => command !== 'uptime');
      expect({ step, odd: odd.map(isPlaceholder) }).toEqual({ step, odd: [true] });
      expect(reported.length).toBeGreaterThan(0);
    }
  });

  it('contains the original step in its message', () => {
    const [step] = convert(ofSequence({ commands: [{ exec: 'notify ${job.username}' }] })).steps;
    expect(step?.message).toMatch(/reference job\.username[\s\S]*notify \$\{job\.username\}$/);
  });

  it('drops its error handler, which is reported', () => {
    const { told: reported } = convert(ofSequence({ commands: [{ type: 'x', errorhandler: { exec: 'true' } }] }));
    expect(reported).toEqual(['plugin x', 'error handler']);
  });
});

describe('job reference', () => {
  const CALLED = { name: 'called', uuid: 'u', sequence: SEQUENCE };
  const call = (caller: YamlTree, called: YamlTree, jobref: Fields = {}) =>
    convert(
      { ...CALLED, nodefilters: called },
      {
        name: 'caller',
        nodefilters: caller,
        sequence: { ...SEQUENCE, commands: [{ jobref: { name: 'called', ...jobref } }] },
      },
    ).steps.slice(-1)[0];
  const WEB = { filter: 'tags: web' };
  const DB = { filter: 'tags: db' };
  const ALL = { filter: '.*' };
  const calls = { type: 'plan', plan: 'called' };
  const stops = { type: 'gate', placeholder: true };

  it.each<[string, YamlTree, YamlTree, Fields, object]>([
    ['hosts of the job that only calls', null, DB, {}, calls],
    ['the same hosts', WEB, WEB, {}, calls],
    ['other hosts', WEB, DB, {}, stops],
    ['more hosts', WEB, ALL, {}, stops],
    ['hosts of its own filter', null, ALL, { nodefilters: DB }, { ...calls, targets: 'db' }],
    ['hosts that the job would not select', null, WEB, { nodefilters: DB }, stops],
    ['hosts that both select', WEB, DB, { nodefilters: { dispatch: { nodeIntersect: true } } }, calls],
    ['each host', WEB, ALL, { nodeStep: true, nodefilters: { filter: 'name: ${node.name}' } }, calls],
    ['each host of others', WEB, DB, { nodeStep: true, nodefilters: { filter: '${node.name}' } }, stops],
    ['all hosts once for each', WEB, WEB, { nodeStep: true }, stops],
    ['a job of another group', null, WEB, { group: 'another' }, stops],
  ])('is a call only where the plan runs on the hosts of the job: %s', (_, caller, called, jobref, expected) => {
    expect(call(caller, called, jobref)).toMatchObject(expected);
  });
});
