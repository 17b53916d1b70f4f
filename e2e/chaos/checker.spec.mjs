import { describe, expect, it } from '@jest/globals';
import { check } from './checker.mjs';
import { parseEvidence } from './evidence.mjs';
import { fileOf } from './prepare.mjs';

const STEP = { type: 'command', hosts: ['h1'], idempotent: false, always: false, onlyIfChanged: [], uses: null };

const RESULT = { run: 'r1', server: 'v1', status: 'SUCCEEDED', attempts: 1, exitCode: 0, resolution: null };

/** A trial with one run of two steps on one host, as it should be; the host was booted at 0. */
function soundTrial() {
  const audit = [
    [null, 'PENDING'],
    ['PENDING', 'RUNNING'],
    ['RUNNING', 'SUCCEEDED'],
  ].map(([before, after]) => ({ run: 'r1', action: `execution.${after.toLowerCase()}`, before, after }));
  const changes = audit.map(({ before, after }) =>
    event('execution.status_changed', 0, { previous: before, status: after }),
  );
  return {
    seed: 'seed',
    now: 20_000,
    bootMs: 0,
    asked: [{ marker: 'm1', id: 'r1' }],
    said: [],
    plans: [
      {
        name: 'p1',
        environment: 'open',
        parallelSafe: false,
        steps: [
          { ...STEP, key: 's1' },
          { ...STEP, key: 's2' },
        ],
      },
    ],
    evidence: parseEvidence(
      'h1',
      `start r1 s1 n1 10.00 d1 boot 1
line r1 s1 n1 10.10 1
line r1 s1 n1 10.20 2
end r1 s1 n1 10.30 0
start r1 s2 n2 11.00 d2 boot 1
end r1 s2 n2 11.50 0
`,
    ),
    runs: [
      {
        id: 'r1',
        marker: 'm1',
        planName: 'p1 seed',
        planId: 'p',
        environmentId: 'e',
        status: 'SUCCEEDED',
        mode: 'auto',
        epoch: 1,
        owner: 'w1',
        fromStep: null,
        pauseExpiresAt: null,
        finishedAt: 12_000,
      },
    ],
    steps: [
      { run: 'r1', index: 0, key: 's1', status: 'SUCCEEDED' },
      { run: 'r1', index: 1, key: 's2', status: 'SUCCEEDED' },
    ],
    hosts: [
      { run: 'r1', server: 'v1', host: 'h1', hostname: '127.0.9.1', port: 22, status: 'SUCCEEDED' },
      { run: 'r1', server: 'v2', host: 'h2', hostname: '127.0.9.2', port: 22, status: 'SKIPPED' },
    ],
    results: [
      { ...RESULT, index: 0, dispatchId: 'd1' },
      { ...RESULT, index: 1, dispatchId: 'd2' },
    ],
    dispatches: [sent('d1', 0, 9_900), sent('d2', 1, 10_900)],
    comings: [],
    slices: [],
    outputs: [{ run: 'r1', index: 0, server: 'v1', text: 'n1 1 \nn1 2 \n' }],
    events: [
      ...changes.slice(0, 2),
      ended('s1', 10_400),
      ended('s2', 11_600),
      changes[2],
      event('execution.finished', 12_000, {}),
    ],
    approvals: [],
    audit,
    guardKeys: [],
    files: [],
  };
}

function event(type, at, data) {
  return { run: 'r1', type, at, data };
}

function sent(dispatchId, index, at, more = {}) {
  const owner = { status: 'RUNNING', epoch: 1, runEpoch: 1, sliceEpoch: null, sliced: false, approval: null };
  return { run: 'r1', index, server: 'v1', dispatchId, attempt: 1, at, ...owner, ...more };
}

function ended(stepKey, at, more = {}) {
  const data = { stepKey, serverId: 'v1', status: 'SUCCEEDED', exitCode: 0, code: null, message: null, changed: false };
  return event('host.finished', at, { ...data, ...more });
}

const decided = (action, stepKey, at, more = {}) =>
  event('decision.made', at, { action, stepKey, serverIds: null, ...more });

/** The result of a step, as the row and as the event tell it. */
function told(trial, index, values) {
  Object.assign(trial.results[index], values);
  Object.assign(trial.events.find((each) => each.data.stepKey === `s${index + 1}`).data, values);
}

/** The first step on `h2` too, from `from` to `to` in s. */
function withSecondHost(trial, from, to) {
  trial.evidence.push(...parseEvidence('h2', `start r1 s1 n8 ${from} d8 boot 1\nend r1 s1 n8 ${to} 0\n`));
  trial.dispatches.push(sent('d8', 0, from * 1000 - 50, { server: 'v2' }));
  trial.results.push({ ...trial.results[0], server: 'v2', dispatchId: 'd8' });
  trial.events.splice(2, 0, ended('s1', to * 1000 + 50, { serverId: 'v2' }));
}

/** The first step failed once before. */
function withRetry(trial) {
  trial.evidence.unshift(...parseEvidence('h1', 'start r1 s1 n0 9.00 d0 boot 1\nend r1 s1 n0 9.50 3\n'));
  trial.evidence[1].attempt = 2;
  trial.dispatches[0].attempt = 2;
  trial.dispatches.unshift(sent('d0', 0, 8_900));
  const failure = { status: 'FAILED', exitCode: 3, code: 'exit_code' };
  trial.events.splice(2, 0, { ...ended('s1', 9_600, failure), type: 'host.retrying' });
  trial.plans[0].steps[0].retries = { count: 1, delaySeconds: 0 };
}

/** The same with a run of somebody else on the host while `m1 s1` ran there. */
function withOverlap(trial) {
  trial.evidence.push(...parseEvidence('h1', 'start r2 s1 n9 10.15 d9 boot 1\nend r2 s1 n9 10.25 0\n'));
  trial.runs.push({ id: 'r2', marker: 'm2', planName: 'p2 seed', status: 'RUNNING', epoch: 1 });
}

function failFirstStep(trial) {
  trial.evidence[0].exitCode = 3;
  told(trial, 0, { status: 'FAILED', exitCode: 3, code: 'exit_code' });
  trial.steps[0].status = 'FAILED';
}

function unknown(trial) {
  told(trial, 1, { status: 'UNKNOWN', exitCode: null });
  trial.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' });
}

/**
 * The same in a plan whose hosts go on by themselves: a second host is at its first step while the other one goes on to
 * its second. A third step follows for both.
 */
function freeTrial() {
  const trial = soundTrial();
  const [plan] = trial.plans;
  plan.strategy = 'free';
  plan.steps.push({ ...STEP, key: 's3' });
  for (const step of plan.steps) step.hosts = ['h1', 'h2'];
  trial.steps.push({ run: 'r1', index: 2, key: 's3', status: 'SUCCEEDED' });
  trial.hosts[1].status = 'SUCCEEDED';
  trial.outputs = [];
  trial.evidence = [];
  trial.results = [];
  trial.dispatches = [];
  trial.events = trial.events.filter(({ type }) => type === 'execution.status_changed');
  const last = trial.events.pop();
  const works = [
    ['h1', 0, 10, 10.3],
    ['h2', 0, 10, 11.2],
    ['h1', 1, 11, 11.5],
    ['h2', 1, 11.3, 11.4],
    ['h1', 2, 11.6, 11.7],
    ['h2', 2, 11.5, 11.8],
  ];
  for (const [host, index, from, to] of works) {
    const [server, key, id] = [host.replace('h', 'v'), `s${index + 1}`, `${host}${index}`];
    trial.evidence.push(
      ...parseEvidence(host, `start r1 ${key} ${id} ${from} ${id} boot 1\nend r1 ${key} ${id} ${to} 0\n`),
    );
    trial.dispatches.push(sent(id, index, from * 1000 - 50, { server }));
    trial.results.push({ ...RESULT, index, server, dispatchId: id });
    trial.events.push(ended(key, to * 1000 + 20, { serverId: server }));
  }
  trial.events.push(last, event('execution.finished', 12_000, {}));
  for (const [at, each] of trial.events.toSorted((a, b) => a.at - b.at).entries()) each.seq = at + 1;
  trial.comings = trial.results.map(({ run, index, server, dispatchId }) => {
    const { at } = trial.dispatches.find((row) => row.dispatchId === dispatchId);
    return { run, index, server, after: trial.events.filter((each) => each.at < at).length, pauseAsked: false };
  });
  return trial;
}

/** What a host did in a step, on record. */
const workOf = (trial, id) => trial.evidence.find(({ nonce }) => nonce === id);

/** The second step failed on the first host, and whatever came after it is gone; at 11.52 s. */
function failFreely(trial) {
  workOf(trial, 'h11').exitCode = 3;
  const failure = { status: 'FAILED', exitCode: 3, code: 'exit_code' };
  Object.assign(
    trial.results.find(({ dispatchId }) => dispatchId === 'h11'),
    failure,
  );
  Object.assign(finishOf(trial, 'v1', 's2').data, failure);
  trial.hosts[0].status = 'FAILED';
  trial.runs[0].status = 'PARTIALLY_SUCCEEDED';
  trial.audit.at(-1).after = 'PARTIALLY_SUCCEEDED';
  trial.events.findLast(({ type }) => type === 'execution.status_changed').data.status = 'PARTIALLY_SUCCEEDED';
  for (const key of ['evidence', 'dispatches', 'results'])
    trial[key] = trial[key].filter((row) => (row.nonce ?? row.dispatchId) !== 'h12');
  trial.comings = trial.comings.filter(({ index, server }) => index !== 2 || server !== 'v1');
  trial.events = trial.events.filter((each) => each !== finishOf(trial, 'v1', 's3'));
}

const finishOf = (trial, server, key) =>
  trial.events.find(({ type, data }) => type === 'host.finished' && data.serverId === server && data.stepKey === key);

/** The second host came to its third step when the first one's failure in the second one was known. */
function comeAfterFailure(trial) {
  failFreely(trial);
  trial.comings.find(({ index }) => index === 2).after = finishOf(trial, 'v1', 's2').seq;
}

/** What must be told of a sound free trial that is broken in one way. */
const FREE_BREAKS = [
  [
    'm1 s2 h1 began before m1 s1 h1 had ended',
    'a host began a step before its own one before had ended',
    (t) => (workOf(t, 'h11').startedAt = 10.2),
  ],
  [
    'm1 s3 h1 began before m1 s2 h1 had ended',
    'a host ran its steps the wrong way round',
    (t) => (workOf(t, 'h12').startedAt = 10.8),
  ],
  [
    'm1 s2 h1 began before m1 s1 h2 had ended',
    'hosts did not wait for each other before a step that runs once',
    (t) => (t.plans[0].steps[1].runOnce = true),
  ],
  [
    'm1 s2 h1 began before m1 s1 h2 had ended',
    'hosts did not wait for each other after a step that runs once',
    (t) => (t.plans[0].steps[0].runOnce = true),
  ],
  [
    'm1 s2 h1 began before m1 s1 h2 had ended',
    'hosts did not wait for each other before a step with batches',
    (t) => (t.plans[0].steps[1].batch = '2'),
  ],
  [
    'm1 s2 h1 began before m1 s1 h2 had ended',
    'hosts did not wait for each other after a step with batches',
    (t) => (t.plans[0].steps[0].batch = '2'),
  ],
  [
    'm1 s2 h1 began before m1 s1 h2 had ended',
    'hosts did not meet at a gate',
    (t) => splitBy(t, { type: 'gate', hosts: [] }),
  ],
  [
    'm1 s2 h1 began before m1 s1 h2 had ended',
    'hosts did not meet at a step that somebody confirms',
    (t) => ((t.runs[0].mode = 'semi_assisted'), (t.plans[0].steps[1].confirm = true)),
  ],
  [
    'm1 s2 h1 began before m1 s1 h2 had ended',
    'hosts did not meet at each step of the mode interactive',
    (t) => (t.runs[0].mode = 'interactive'),
  ],
  ['m1 s3 h2 was begun after s2 had failed', 'another host began a step after too many had failed', comeAfterFailure],
  [
    'm1 s2 h1 is FAILED, and s3 was sent there',
    'a host that failed went on by itself',
    (t) => {
      failFreely(t);
      t.plans[0].steps[1].onFailure = 'continue';
      t.dispatches.push(sent('h12', 2, 11_550));
    },
  ],
  [
    'm1: s3 was begun after s2 had failed',
    'a step of the next stretch was begun after one that failed',
    (t) => {
      failFreely(t);
      t.steps[1].status = 'FAILED';
      t.plans[0].steps[2].batch = '2';
    },
  ],
  [
    'was begun although somebody had asked for a pause',
    'a host went on after somebody asked for a pause',
    (t) => (t.comings[3].pauseAsked = true),
  ],
  [
    'm1 succeeded, and s3 was never begun on h1',
    'a host never came to a step of a run that succeeded',
    (t) => (t.results = t.results.filter(({ dispatchId }) => dispatchId !== 'h12')),
  ],
];

/** A step between the first and the second one. */
function splitBy(trial, step) {
  trial.plans[0].steps.splice(1, 0, { ...STEP, ...step, key: 'gate' });
  for (const row of [...trial.steps, ...trial.results, ...trial.dispatches, ...trial.comings])
    if (row.index > 0) row.index += 1;
  trial.steps.push({ run: 'r1', index: 1, key: 'gate', status: 'SUCCEEDED' });
}

/** Each breaks a sound trial in one way, and names the invariant that must tell. */
const BREAKS = [
  ['I1', 'a run that was answered by 201 is not stored', (t) => t.asked.push({ marker: 'm3', id: 'r3' })],
  ['I1', 'one start made two runs', (t) => t.runs.push({ ...t.runs[0], id: 'r2' })],
  ['I1', 'nobody asked for a run', (t) => (t.asked = [])],
  ['I1', 'a run goes on for ever', (t) => (t.runs[0].status = 'RUNNING')],
  ['I1', 'a run is paused and nobody knows why', (t) => (t.runs[0].status = 'PAUSED')],
  [
    'I1',
    'a pause is not ended in time',
    (t) => Object.assign(t.runs[0], { status: 'PAUSED', pause: { reason: 'GATE' }, pauseExpiresAt: -1_000 }),
  ],
  ['I1', 'the engine broke a run off', (t) => (t.runs[0].code = 'engine_failed')],
  ['I2', 'one dispatch began twice', (t) => t.evidence.push({ ...t.evidence[0], nonce: 'n3' })],
  [
    'I2',
    'one attempt began twice',
    (t) => {
      t.evidence.push({ ...t.evidence[1], nonce: 'n3', dispatchId: 'd3', startedAt: 11.52, lastAt: 11.53 });
      t.dispatches.push(sent('d3', 1, 11_510));
    },
  ],
  ['I2', 'a step was tried again that has no retries', (t) => (withRetry(t), (t.plans[0].steps[0].retries = null))],
  [
    'I2',
    'a step with retries was given up at once',
    (t) => (failFirstStep(t), (t.plans[0].steps[0].retries = { count: 2 })),
  ],
  ['I2', 'an attempt began before the one before had ended', (t) => (withRetry(t), (t.evidence[0].lastAt = 10.1))],
  ['I3', 'a start has no intent', (t) => (t.dispatches = t.dispatches.slice(1))],
  ['I3', 'a start has the intent of another step', (t) => (t.dispatches[1].index = 0)],
  ['I4', 'a success was not seen by the host', (t) => (t.evidence[0].exitCode = 3)],
  ['I4', 'a success has no start at all', (t) => t.evidence.pop()],
  ['I4', 'a failure has an exit code of its own', (t) => told(t, 1, { status: 'FAILED', exitCode: 7 })],
  ['I4', 'an attempt that was told to have failed did not', (t) => (withRetry(t), (t.evidence[0].exitCode = 0))],
  ['I4', 'a command went on after its end was told', (t) => (t.evidence[0].lastAt = 10.9)],
  [
    'I4',
    'an end was found that nobody saw',
    (t) => (unknown(t), Object.assign(t.results[1], { resolution: 'found_failed', exitCode: 9 })),
  ],
  ['I5', 'an unreachable host saw a start', (t) => told(t, 1, { status: 'UNREACHABLE', exitCode: null })],
  [
    'I5',
    'a cancelled command was told not to have started',
    (t) => told(t, 1, { status: 'CANCELLED', message: 'Cancelled before the command was started here.' }),
  ],
  ['I6', 'two runs were on one host', withOverlap],
  ['I7', 'something was written after the end', (t) => t.events.push(event('output.appended', 12_100, {}))],
  ['I7', 'a host ended twice', (t) => t.events.splice(3, 0, ended('s1', 10_500))],
  ['I7', 'a result is not the one that was told', (t) => (t.results[0].status = 'TIMED_OUT')],
  ['I7', 'an older epoch stored an intent', (t) => (t.dispatches[0].runEpoch = 2)],
  [
    'I7',
    'an older epoch of a slice stored one',
    (t) => Object.assign(t.dispatches[0], { sliced: true, sliceEpoch: 2 }),
  ],
  ['I7', 'an intent was stored while the run waited', (t) => (t.dispatches[0].status = 'PAUSED')],
  ['I7', 'what was sent first began last', (t) => (t.dispatches[0].at = 10_950)],
  ['I7', 'a command began after the end', (t) => (t.runs[0].finishedAt = 10_600)],
  ['I8', 'a line is missing', (t) => (t.outputs[0].text = 'n1 2 \n')],
  ['I8', 'a line is doubled', (t) => (t.outputs[0].text = 'n1 1 \nn1 1 \nn1 2 \n')],
  ['I8', 'the end of a success is missing', (t) => (t.outputs[0].text = 'n1 1 \n')],
  ['I8', 'the output of an attempt that failed is missing', (t) => (withRetry(t), (t.evidence[0].lines = 1))],
  ['I8', 'a line was never printed', (t) => (t.outputs[0].text += 'n1 3 \n')],
  ['I8', 'a line belongs to another command', (t) => (t.outputs[0].text += 'n2 1 \n')],
  ['I9', 'a transition has no audit entry', (t) => t.audit.pop()],
  ['I9', 'a transition has two audit entries', (t) => t.audit.push(t.audit[2])],
  ['I9', 'the status is not the one that was told last', (t) => (t.runs[0].status = 'FAILED')],
  [
    'I9',
    'a decision has no audit entry',
    (t) => {
      t.said.push({ run: 'r1', act: 'decide proceed', step: 's1' });
      t.events.splice(2, 0, decided('proceed', 's1', 9_000));
    },
  ],
  [
    'I9',
    'an answer counted twice',
    (t) => {
      t.said.push({ run: 'r1', act: 'decide proceed', step: 's1' });
      for (const at of [9_000, 9_100]) {
        t.events.splice(2, 0, decided('proceed', 's1', at));
        t.audit.push({ run: 'r1', action: 'execution.decide', before: null, after: null });
      }
    },
  ],
  ['I10', 'a finished run holds a key', (t) => t.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' })],
  [
    'I10',
    'a run with an unknown result holds more than that host',
    (t) => (unknown(t), t.guardKeys.push({ run: 'r1', key: 'plan:p:e' })),
  ],
  ['I10', 'a host with an unknown result is free', (t) => (unknown(t), t.guardKeys.pop())],
  [
    'I10',
    'a host is still held after somebody said what became of it',
    (t) => (unknown(t), (t.results[1].resolution = 'skipped')),
  ],
  ['I10', 'a run that goes on does not hold its host', (t) => (t.runs[0].status = 'RUNNING')],
  ['order', 'a step began before the one before had ended', (t) => (t.evidence[1].startedAt = 10.25)],
  [
    'order',
    'two hosts of a batch of one were at work at once',
    (t) => (withSecondHost(t, 10.1, 10.2), (t.plans[0].steps[0].batch = '1')),
  ],
  [
    'order',
    'a share of hosts is a batch too',
    (t) => (withSecondHost(t, 10.1, 10.2), (t.plans[0].steps[0].batch = '50%')),
  ],
  ['order', 'a step was begun after one that failed', failFirstStep],
  [
    'order',
    'a host that failed takes part in the next step',
    (t) => (failFirstStep(t), (t.steps[0].status = 'PARTIALLY_SUCCEEDED')),
  ],
  [
    'order',
    'a step that always runs did not',
    (t) => {
      t.plans[0].steps.push({ ...STEP, key: 's3', always: true });
      t.steps.push({ run: 'r1', index: 2, key: 's3', status: 'SKIPPED' });
    },
  ],
  ['order', 'a handler ran though nothing was changed', (t) => (t.plans[0].steps[1].onlyIfChanged = ['s1'])],
  ['order', 'a dry run started something', (t) => (t.runs[0].mode = 'dry_run')],
  [
    'output',
    'a step was given what nobody set',
    (t) => ((t.plans[0].steps[1].uses = 's1'), (t.evidence[1].got = 'n7')),
  ],
  [
    'file',
    'half of a file was written',
    (t) => t.files.push({ host: 'h1', plan: 'p1', step: 's1', text: fileOf('m1').slice(0, -4) }),
  ],
  ['approval', 'a run was not approved', (t) => (t.plans[0].environment = 'guarded')],
  [
    'approval',
    'a command began before its approval',
    (t) => {
      t.plans[0].environment = 'guarded';
      for (const row of t.dispatches) row.approval = 'approved';
      letIn(t, 10_900);
    },
  ],
  [
    'approval',
    'one of two approvals was missing, or was that of who asked',
    (t) => t.approvals.push({ ...APPROVAL, required: 2 }),
  ],
  ['pause', 'nobody let a step begin', (t) => (t.runs[0].mode = 'interactive')],
  [
    'pause',
    'nobody opened a gate',
    (t) => {
      t.plans[0].steps[0].type = 'gate';
      t.evidence.splice(0, 1);
    },
  ],
  ['pause', 'something was sent after an abort', (t) => t.events.splice(2, 0, decided('abort', 's2', 10_800))],
];

const APPROVAL = {
  run: 'r1',
  round: 1,
  state: 'approved',
  required: 1,
  requestedBy: 'u0',
  decisions: [{ user: 'u1', decision: 'approved' }],
};

/** The run waited for its approval and was let in. */
function letIn(trial, at) {
  trial.approvals.push(APPROVAL);
  const changes = [
    [null, 'PAUSED', 0],
    ['PAUSED', 'PENDING', at],
  ];
  trial.events.splice(
    0,
    1,
    ...changes.map(([previous, status, when]) => event('execution.status_changed', when, { previous, status })),
  );
  trial.audit.splice(0, 1, ...changes.map(([before, after]) => ({ run: 'r1', action: 'x', before, after })));
}

const invariantsOf = (trial) => new Set(check(trial).map(({ invariant }) => invariant));

describe('the checker of the invariants', () => {
  it('finds nothing in a sound trial', () => {
    expect(check(soundTrial())).toEqual([]);
  });

  it.each(BREAKS)('%s tells when %s', (invariant, _title, spoil) => {
    const trial = soundTrial();
    spoil(trial);
    expect(invariantsOf(trial)).toContain(invariant);
  });

  it('finds nothing where hosts go on by themselves, each in order', () => {
    expect(check(freeTrial())).toEqual([]);
  });

  it.each(FREE_BREAKS)('tells "%s" when, of hosts that go on by themselves, %s', (words, _title, spoil) => {
    const trial = freeTrial();
    spoil(trial);
    expect(check(trial).map(({ text }) => text)).toContainEqual(expect.stringContaining(words));
  });

  it('takes steps that run always, and what a person answered, after a failure among hosts that go on by themselves', () => {
    const always = freeTrial();
    comeAfterFailure(always);
    always.plans[0].steps[2].always = true;
    always.results.push({ ...RESULT, index: 2, status: 'SKIPPED' });
    const within = freeTrial();
    comeAfterFailure(within);
    within.plans[0].steps[1].onFailure = 'continue';
    const before = freeTrial();
    failFreely(before);
    expect([...check(always), ...check(within), ...check(before)]).toEqual([]);
    const answered = freeTrial();
    comeAfterFailure(answered);
    const [last] = answered.comings.slice(-1);
    answered.events.push({ ...decided('exclude_hosts', 's2', 11_530), seq: last.after + 0.5 });
    last.after += 1;
    expect(invariantsOf(answered)).not.toContain('order');
  });

  it('lets a step be tried again as often as it says', () => {
    const trial = soundTrial();
    withRetry(trial);
    expect(check(trial)).toEqual([]);
  });

  it('takes the result of the last attempt for that of a host where a run was stopped before the next one', () => {
    const trial = soundTrial();
    failFirstStep(trial);
    trial.plans[0].steps[0].retries = { count: 1, delaySeconds: 2 };
    trial.events.splice(2, 0, { ...trial.events[2], type: 'host.retrying', at: 10_350 });
    trial.runs[0].status = 'CANCELLED';
    expect(check(trial).filter(({ invariant }) => /I[2457]/.test(invariant))).toEqual([]);
  });

  it('lets a person run a step again', () => {
    const trial = soundTrial();
    withRetry(trial);
    trial.plans[0].steps[0].retries = null;
    trial.events[2].type = 'host.finished';
    trial.events.splice(3, 0, decided('retry', 's1', 9_700));
    trial.audit.push({ run: 'r1', action: 'execution.decide', before: null, after: null });
    expect(invariantsOf(trial)).toEqual(new Set(['I9']));
    trial.said.push({ run: 'r1', act: 'decide retry', step: 's1' });
    expect(check(trial)).toEqual([]);
  });

  it('lets hosts of one batch be at work at once, and those of two one after the other', () => {
    const together = soundTrial();
    withSecondHost(together, 10.1, 10.2);
    together.plans[0].steps[0].batch = '2';
    const apart = soundTrial();
    withSecondHost(apart, 10.5, 10.6);
    apart.plans[0].steps[0].batch = '1';
    expect([...check(together), ...check(apart)]).toEqual([]);
  });

  it('lets a run begin that others have approved', () => {
    const trial = soundTrial();
    trial.plans[0].environment = 'guarded';
    for (const row of trial.dispatches) row.approval = 'approved';
    letIn(trial, 5_000);
    expect(check(trial)).toEqual([]);
  });

  it('lets a host with an unknown result keep its key until somebody says what became of it', () => {
    const trial = soundTrial();
    unknown(trial);
    expect(check(trial)).toEqual([]);
    trial.results[1].resolution = 'found_failed';
    trial.guardKeys.pop();
    expect(check(trial)).toEqual([]);
  });

  it('lets runs overlap where a person gave a host free without knowing', () => {
    const trial = soundTrial();
    withOverlap(trial);
    told(trial, 0, { status: 'UNKNOWN', exitCode: null });
    expect(invariantsOf(trial)).toContain('I6');
    trial.results[0].resolution = 'marked_failed';
    expect(invariantsOf(trial)).not.toContain('I6');
  });

  it('takes output that ends within a line of a command that is lost', () => {
    const trial = soundTrial();
    told(trial, 0, { status: 'UNKNOWN', exitCode: null });
    trial.outputs[0].text = 'n1 1 \nn1 ';
    expect(invariantsOf(trial)).not.toContain('I8');
  });

  it('takes a paused run that says why', () => {
    const trial = soundTrial();
    Object.assign(trial.runs[0], { status: 'PAUSED', pause: { reason: 'STEP_CONFIRM' } });
    expect(check(trial).filter(({ kind }) => kind === 'stuck')).toEqual([]);
  });
});
