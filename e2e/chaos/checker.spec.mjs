import { describe, expect, it } from '@jest/globals';
import { check } from './checker.mjs';
import { parseEvidence } from './evidence.mjs';
import { fileOf } from './prepare.mjs';
import { decided, ended, event, sent, soundTrial, STEP } from './sound-trials.mjs';

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

/** The run waited for its turn, and was cancelled before that came. */
function cancelledInLine(trial) {
  Object.assign(trial.runs[0], { status: 'CANCELLED', onOverlap: 'queue' });
  for (const list of ['evidence', 'dispatches', 'results', 'outputs']) trial[list] = [];
  for (const step of trial.steps) step.status = 'CANCELLED';
  trial.audit = [
    [null, 'PENDING'],
    ['PENDING', 'CANCELLED'],
  ].map(([before, after]) => ({ run: 'r1', action: 'x', before, after }));
  const [accepted, cancelled] = trial.audit.map(({ before, after }) =>
    event('execution.status_changed', 0, { previous: before, status: after }),
  );
  trial.events = [accepted, tellsOfLine('overlap'), cancelled, event('execution.finished', 12_000, {})];
}

/** What a run tells of the line: what it waits for, or null when it has its turn. */
function tellsOfLine(waitsFor) {
  return event('execution.status_changed', 0, { previous: 'PENDING', status: 'PENDING', waitsFor });
}

/** The run had its turn, and no step had a host: it ended without having begun. */
function skippedInTurn(trial) {
  cancelledInLine(trial);
  trial.runs[0].status = 'SUCCEEDED';
  for (const step of trial.steps) step.status = 'SKIPPED';
  trial.events[2].data.status = 'SUCCEEDED';
  trial.audit[1].after = 'SUCCEEDED';
  trial.events.splice(2, 0, tellsOfLine(null));
  trial.audit.push({ run: 'r1', action: 'execution.admitted', before: null, after: null });
}

/** The run had its turn so often, after it had stood in line. */
function queuedUp(trial, turns) {
  trial.runs[0].onOverlap = 'queue';
  trial.events.splice(1, 0, tellsOfLine('overlap'), ...Array.from({ length: turns }, () => tellsOfLine(null)));
  const turn = { run: 'r1', action: 'execution.admitted', before: null, after: null };
  trial.audit.push(...Array.from({ length: turns }, () => turn));
}

/** A run before it, of which the sound trial runs the second step again, for the sake of what `s1` changed and set there. */
function resumes(trial, fromStep) {
  trial.runs.unshift({ ...trial.runs[0], id: 'r0', marker: 'm0', parent: null });
  Object.assign(trial.runs[1], { parent: 'r0', fromStep });
  trial.asked.unshift({ marker: 'm0', id: 'r0' });
  trial.steps.unshift(...trial.steps.map((step) => ({ ...step, run: 'r0' })));
  trial.hosts.push({ ...trial.hosts[0], run: 'r0' });
  trial.plans[0].steps[1].onlyIfChanged = ['s1'];
  trial.plans[0].steps[1].uses = 's1';
  trial.evidence.at(-1).got = 'n0';
  trial.evidence.push(...parseEvidence('h1', 'start r0 s1 n0 8.00 d0 boot 1\nend r0 s1 n0 8.50 0\n'));
  trial.events.push({ ...ended('s1', 8_600, { changed: true }), run: 'r0' });
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
  [
    'I10',
    'a run that stands in line holds a host',
    (t) => {
      t.runs[0].status = 'PENDING';
      t.queue.push({ run: 'r1', reason: 'overlap', arrival: 1 });
      t.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' });
    },
  ],
  ['queue', 'a run that is over stands in line', (t) => t.queue.push({ run: 'r1', reason: 'overlap', arrival: 1 })],
  [
    'queue',
    'a run that waited ended twice',
    (t) => (cancelledInLine(t), t.events.push(event('execution.finished', 12_100, {}))),
  ],
  [
    'queue',
    'something was begun for a run whose turn never came',
    (t) => (cancelledInLine(t), (t.evidence = soundTrial().evidence)),
  ],
  [
    'queue',
    'something was sent for a run whose turn never came',
    (t) => (cancelledInLine(t), (t.dispatches = soundTrial().dispatches)),
  ],
  ['queue', 'a run began while it stood in line', (t) => queuedUp(t, 0)],
  ['queue', 'a run had its turn twice', (t) => queuedUp(t, 2)],
  ['I9', 'a turn has no audit entry', (t) => (queuedUp(t, 1), t.audit.pop())],
  ['queue', 'a run succeeded whose turn never came', (t) => (cancelledInLine(t), (t.runs[0].status = 'SUCCEEDED'))],
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

  it('lets a handler and an insertion count what the run changed and set that is resumed', () => {
    const said = (trial) => check(trial).filter(({ text }) => /changed nothing|never set/.test(text));
    const resumed = soundTrial();
    resumes(resumed, 's2');
    expect(said(resumed)).toEqual([]);
    const anew = soundTrial();
    resumes(anew, null);
    expect(said(anew)).toHaveLength(2);
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

  it('lets a run that stands in line hold nothing, and leave it by being cancelled or by running', () => {
    const waits = soundTrial();
    waits.runs[0].status = 'PENDING';
    waits.queue.push({ run: 'r1', reason: 'overlap', arrival: 1 });
    expect([...invariantsOf(waits)].filter((each) => ['I10', 'queue'].includes(each))).toEqual([]);
    const cancelled = soundTrial();
    cancelledInLine(cancelled);
    const ran = soundTrial();
    queuedUp(ran, 1);
    expect([...check(cancelled), ...check(ran)]).toEqual([]);
    const skipped = soundTrial();
    skippedInTurn(skipped);
    expect([...invariantsOf(skipped)].filter((each) => ['I10', 'queue'].includes(each))).toEqual([]);
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

  it('takes the output of a command behind one that was killed within a line', () => {
    const trial = soundTrial();
    withRetry(trial);
    trial.evidence[0].lines = 1;
    trial.outputs[0].text = 'n0 1 n1 1 \nn1 2 \n';
    expect(invariantsOf(trial)).not.toContain('I8');
  });

  it('takes a paused run that says why', () => {
    const trial = soundTrial();
    Object.assign(trial.runs[0], { status: 'PAUSED', pause: { reason: 'STEP_CONFIRM' } });
    expect(check(trial).filter(({ kind }) => kind === 'stuck')).toEqual([]);
  });
});
