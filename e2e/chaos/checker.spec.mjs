import { describe, expect, it } from '@jest/globals';
import { check } from './checker.mjs';
import { parseEvidence } from './evidence.mjs';
import { fileOf } from './prepare.mjs';
import { decided, ended, event, EXIT_CODE, sent, setOutcome, soundTrial, STEP } from './sound-trials.mjs';

function setResult(trial, index, values) {
  const event = trial.events.find((each) => each.data.stepKey === `s${index + 1}`);
  setOutcome(trial.results[index], event, values);
}

/** Adds the first step on `h2`. @param from start in s @param to end in s */
function withSecondHost(trial, from, to) {
  trial.evidence.push(...parseEvidence('h2', `start r1 s1 n8 ${from} d8 boot 1\nend r1 s1 n8 ${to} 0\n`));
  trial.dispatches.push(sent('d8', 0, from * 1000 - 50, { server: 'v2' }));
  trial.results.push({ ...trial.results[0], server: 'v2', dispatchId: 'd8' });
  trial.events.splice(2, 0, ended('s1', to * 1000 + 50, { serverId: 'v2' }));
}

function withRetry(trial) {
  trial.evidence.unshift(...parseEvidence('h1', 'start r1 s1 n0 9.00 d0 boot 1\nend r1 s1 n0 9.50 3\n'));
  trial.evidence[1].attempt = 2;
  trial.dispatches[0].attempt = 2;
  trial.dispatches.unshift(sent('d0', 0, 8_900));
  const failure = { status: 'FAILED', exitCode: 3, reason: EXIT_CODE };
  trial.events.splice(2, 0, { ...ended('s1', 9_600, failure), type: 'host.retrying' });
  trial.plans[0].steps[0].retries = { count: 1, delaySeconds: 0 };
}

function withOverlap(trial) {
  trial.evidence.push(...parseEvidence('h1', 'start r2 s1 n9 10.15 d9 boot 1\nend r2 s1 n9 10.25 0\n'));
  trial.runs.push({ id: 'r2', marker: 'm2', planName: 'p2 seed', status: 'RUNNING', epoch: 1 });
}

function failFirstStep(trial) {
  trial.evidence[0].exitCode = 3;
  setResult(trial, 0, { status: 'FAILED', exitCode: 3, reason: EXIT_CODE });
  trial.steps[0].status = 'FAILED';
}

function unknown(trial) {
  setResult(trial, 1, { status: 'UNKNOWN', exitCode: null });
  trial.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' });
}

function cancelledInQueue(trial) {
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
  trial.events = [accepted, queueEvent('overlap'), cancelled, event('execution.finished', 12_000, {})];
}

/** Returns an event of a queued run; `waitsFor` null: the run was admitted. */
function queueEvent(waitsFor) {
  return event('execution.status_changed', 0, { previous: 'PENDING', status: 'PENDING', waitsFor });
}

/** Makes the run end without starting after it was admitted, because no step has a host. */
function skippedAfterAdmission(trial) {
  cancelledInQueue(trial);
  trial.runs[0].status = 'SUCCEEDED';
  for (const step of trial.steps) step.status = 'SKIPPED';
  trial.events[2].data.status = 'SUCCEEDED';
  trial.audit[1].after = 'SUCCEEDED';
  trial.events.splice(2, 0, queueEvent(null));
  trial.audit.push({ run: 'r1', action: 'execution.admitted', before: null, after: null });
}

/** Makes the run wait in the queue and be admitted `admissions` times. */
function queuedRun(trial, admissions) {
  trial.runs[0].onOverlap = 'queue';
  trial.events.splice(1, 0, queueEvent('overlap'), ...Array.from({ length: admissions }, () => queueEvent(null)));
  const admission = { run: 'r1', action: 'execution.admitted', before: null, after: null };
  trial.audit.push(...Array.from({ length: admissions }, () => admission));
}

/**
 * Adds a parent run, which the run of the sound trial resumes at the second step. That step uses a change and an output
 * of `s1`.
 */
function resumes(trial, fromStep) {
  trial.runs.unshift({ ...trial.runs[0], id: 'r0', marker: 'm0', parent: null });
  Object.assign(trial.runs[1], { parent: 'r0', fromStep });
  trial.startRequests.unshift({ marker: 'm0', id: 'r0' });
  trial.steps.unshift(...trial.steps.map((step) => ({ ...step, run: 'r0' })));
  trial.hosts.push({ ...trial.hosts[0], run: 'r0' });
  trial.plans[0].steps[1].onlyIfChanged = ['s1'];
  trial.plans[0].steps[1].uses = 's1';
  trial.evidence.at(-1).got = 'n0';
  trial.evidence.push(...parseEvidence('h1', 'start r0 s1 n0 8.00 d0 boot 1\nend r0 s1 n0 8.50 0\n'));
  trial.events.push({ ...ended('s1', 8_600, { changed: true }), run: 'r0' });
}

/** Each entry adds one fault to a sound trial and names the invariant that must report it. */
const BROKEN_TRIALS = [
  ['I1', 'a run that was answered with 201 is not stored', (t) => t.startRequests.push({ marker: 'm3', id: 'r3' })],
  ['I1', 'one start created two runs', (t) => t.runs.push({ ...t.runs[0], id: 'r2' })],
  ['I1', 'a run was never requested', (t) => (t.startRequests = [])],
  ['I1', 'a run never ends', (t) => (t.runs[0].status = 'RUNNING')],
  ['I1', 'a run is paused without a reason', (t) => (t.runs[0].status = 'PAUSED')],
  [
    'I1',
    'a pause does not end in time',
    (t) => Object.assign(t.runs[0], { status: 'PAUSED', pause: { reason: 'GATE' }, pauseExpiresAt: -1_000 }),
  ],
  ['I1', 'a run ended with an engine failure', (t) => (t.runs[0].code = 'engine_failed')],
  ['I2', 'one dispatch started twice', (t) => t.evidence.push({ ...t.evidence[0], nonce: 'n3' })],
  [
    'I2',
    'one attempt started twice',
    (t) => {
      t.evidence.push({ ...t.evidence[1], nonce: 'n3', dispatchId: 'd3', startedAt: 11.52, lastAt: 11.53 });
      t.dispatches.push(sent('d3', 1, 11_510));
    },
  ],
  ['I2', 'a step without retries had a second attempt', (t) => (withRetry(t), (t.plans[0].steps[0].retries = null))],
  [
    'I2',
    'a step with retries failed after one attempt',
    (t) => (failFirstStep(t), (t.plans[0].steps[0].retries = { count: 2 })),
  ],
  ['I2', 'an attempt started before the previous one ended', (t) => (withRetry(t), (t.evidence[0].lastAt = 10.1))],
  ['I3', 'a start has no intent', (t) => (t.dispatches = t.dispatches.slice(1))],
  ['I3', 'a start has the intent of another step', (t) => (t.dispatches[1].index = 0)],
  ['I4', 'a reported success does not match the exit code on the host', (t) => (t.evidence[0].exitCode = 3)],
  ['I4', 'a successful step never started', (t) => t.evidence.pop()],
  [
    'I4',
    'a reported failure has an exit code that the host never saw',
    (t) => setResult(t, 1, { status: 'FAILED', exitCode: 7 }),
  ],
  ['I4', 'an attempt that was reported as failed succeeded', (t) => (withRetry(t), (t.evidence[0].exitCode = 0))],
  ['I4', 'a command still ran after its end was reported', (t) => (t.evidence[0].lastAt = 10.9)],
  [
    'I4',
    'a check reported an exit code that the host never saw',
    (t) => (unknown(t), Object.assign(t.results[1], { resolution: 'found_failed', exitCode: 9 })),
  ],
  [
    'I5',
    'a command started on a host that is reported as unreachable',
    (t) => setResult(t, 1, { status: 'UNREACHABLE', exitCode: null }),
  ],
  [
    'I5',
    'a started command is reported as refused by its host',
    (t) => setResult(t, 1, { status: 'FAILED', exitCode: null, reason: { code: 'exec_refused', text: 'Refused.' } }),
  ],
  [
    'I5',
    'a started command is reported as cancelled before its start',
    (t) =>
      setResult(t, 1, {
        status: 'CANCELLED',
        reason: { code: 'cancelled', text: 'Cancelled before the command was started here.' },
      }),
  ],
  ['I6', 'two runs overlapped on one host', withOverlap],
  ['I7', 'an event was written after the end of the run', (t) => t.events.push(event('output.appended', 12_100, {}))],
  ['I7', 'a host finished one step twice', (t) => t.events.splice(3, 0, ended('s1', 10_500))],
  ['I7', 'a stored result differs from its event', (t) => (t.results[0].status = 'TIMED_OUT')],
  ['I7', 'an older epoch stored an intent', (t) => (t.dispatches[0].runEpoch = 2)],
  [
    'I7',
    'an older epoch of a slice stored an intent',
    (t) => Object.assign(t.dispatches[0], { sliced: true, sliceEpoch: 2 }),
  ],
  ['I7', 'an intent was stored while the run waited', (t) => (t.dispatches[0].status = 'PAUSED')],
  ['I7', 'the dispatch that was sent first started last', (t) => (t.dispatches[0].at = 10_950)],
  ['I7', 'a command started after the end of the run', (t) => (t.runs[0].finishedAt = 10_600)],
  ['I8', 'a line is missing', (t) => (t.outputs[0].text = 'n1 2 \n')],
  ['I8', 'a line is stored twice', (t) => (t.outputs[0].text = 'n1 1 \nn1 1 \nn1 2 \n')],
  ['I8', 'the last line of a successful step is missing', (t) => (t.outputs[0].text = 'n1 1 \n')],
  ['I8', 'the output of a failed attempt is missing', (t) => (withRetry(t), (t.evidence[0].lines = 1))],
  ['I8', 'a line was never printed', (t) => (t.outputs[0].text += 'n1 3 \n')],
  ['I8', 'a line belongs to another command', (t) => (t.outputs[0].text += 'n2 1 \n')],
  ['I9', 'a transition has no audit entry', (t) => t.audit.pop()],
  ['I9', 'a transition has two audit entries', (t) => t.audit.push(t.audit[2])],
  ['I9', 'the status differs from the last event', (t) => (t.runs[0].status = 'FAILED')],
  [
    'I9',
    'a decision has no audit entry',
    (t) => {
      t.actions.push({ run: 'r1', act: 'decide proceed', step: 's1' });
      t.events.splice(2, 0, decided('proceed', 's1', 9_000));
    },
  ],
  [
    'I9',
    'one answer was applied twice',
    (t) => {
      t.actions.push({ run: 'r1', act: 'decide proceed', step: 's1' });
      for (const at of [9_000, 9_100]) {
        t.events.splice(2, 0, decided('proceed', 's1', at));
        t.audit.push({ run: 'r1', action: 'execution.decide', before: null, after: null });
      }
    },
  ],
  ['I10', 'a finished run holds a guard key', (t) => t.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' })],
  [
    'I10',
    'a run with an unknown result holds more than that host',
    (t) => (unknown(t), t.guardKeys.push({ run: 'r1', key: 'plan:p:e' })),
  ],
  ['I10', 'a host with an unknown result is free', (t) => (unknown(t), t.guardKeys.pop())],
  [
    'I10',
    'a host is still held after its result was resolved',
    (t) => (unknown(t), (t.results[1].resolution = 'skipped')),
  ],
  ['I10', 'an active run lacks the guard key of its host', (t) => (t.runs[0].status = 'RUNNING')],
  [
    'I10',
    'a queued run holds a host',
    (t) => {
      t.runs[0].status = 'PENDING';
      t.queue.push({ run: 'r1', reason: 'overlap', arrival: 1 });
      t.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' });
    },
  ],
  ['queue', 'a finished run is still in the queue', (t) => t.queue.push({ run: 'r1', reason: 'overlap', arrival: 1 })],
  [
    'queue',
    'a queued run ended twice',
    (t) => (cancelledInQueue(t), t.events.push(event('execution.finished', 12_100, {}))),
  ],
  [
    'queue',
    'a command started in a run that was never admitted',
    (t) => (cancelledInQueue(t), (t.evidence = soundTrial().evidence)),
  ],
  [
    'queue',
    'a command was sent in a run that was never admitted',
    (t) => (cancelledInQueue(t), (t.dispatches = soundTrial().dispatches)),
  ],
  ['queue', 'a run started while it was in the queue', (t) => queuedRun(t, 0)],
  ['queue', 'a run was admitted twice', (t) => queuedRun(t, 2)],
  ['I9', 'an admission has no audit entry', (t) => (queuedRun(t, 1), t.audit.pop())],
  ['queue', 'a run succeeded that was never admitted', (t) => (cancelledInQueue(t), (t.runs[0].status = 'SUCCEEDED'))],
  ['order', 'a step started before the previous one ended', (t) => (t.evidence[1].startedAt = 10.25)],
  [
    'order',
    'two hosts ran at the same time with batch size 1',
    (t) => (withSecondHost(t, 10.1, 10.2), (t.plans[0].steps[0].batch = '1')),
  ],
  [
    'order',
    'too many hosts ran at the same time with a batch size in percent',
    (t) => (withSecondHost(t, 10.1, 10.2), (t.plans[0].steps[0].batch = '50%')),
  ],
  ['order', 'a step started after a failed step', failFirstStep],
  [
    'order',
    'a host that failed runs the next step',
    (t) => (failFirstStep(t), (t.steps[0].status = 'PARTIALLY_SUCCEEDED')),
  ],
  [
    'order',
    'an "always" step did not run',
    (t) => {
      t.plans[0].steps.push({ ...STEP, key: 's3', always: true });
      t.steps.push({ run: 'r1', index: 2, key: 's3', status: 'SKIPPED' });
    },
  ],
  ['order', 'a handler ran without a change', (t) => (t.plans[0].steps[1].onlyIfChanged = ['s1'])],
  ['order', 'a dry run started a command', (t) => (t.runs[0].mode = 'dry_run')],
  [
    'output',
    'a step received an output that no step set',
    (t) => ((t.plans[0].steps[1].uses = 's1'), (t.evidence[1].got = 'n7')),
  ],
  [
    'file',
    'a file was written only in part',
    (t) => t.files.push({ host: 'h1', plan: 'p1', step: 's1', text: fileOf('m1').slice(0, -4) }),
  ],
  ['approval', 'a run was not approved', (t) => (t.plans[0].environment = 'guarded')],
  [
    'approval',
    'a command started before the approval',
    (t) => {
      t.plans[0].environment = 'guarded';
      for (const row of t.dispatches) row.approval = 'approved';
      approveAt(t, 10_900);
    },
  ],
  ['approval', 'one of two required approvals was missing', (t) => t.approvals.push({ ...APPROVAL, required: 2 })],
  ['pause', 'a step started without confirmation', (t) => (t.runs[0].mode = 'interactive')],
  [
    'pause',
    'a gate was passed without an answer',
    (t) => {
      t.plans[0].steps[0].type = 'gate';
      t.evidence.splice(0, 1);
    },
  ],
  ['pause', 'a command was sent after an abort', (t) => t.events.splice(2, 0, decided('abort', 's2', 10_800))],
];

const APPROVAL = {
  run: 'r1',
  round: 1,
  state: 'approved',
  required: 1,
  requestedBy: 'u0',
  decisions: [{ user: 'u1', decision: 'approved' }],
};

function approveAt(trial, at) {
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

describe('invariant checker', () => {
  it('reports nothing for a sound trial', () => {
    expect(check(soundTrial())).toEqual([]);
  });

  it.each(BROKEN_TRIALS)('%s reports that %s', (invariant, _title, spoil) => {
    const trial = soundTrial();
    spoil(trial);
    expect(invariantsOf(trial)).toContain(invariant);
  });

  it('accepts as many attempts as the step has retries', () => {
    const trial = soundTrial();
    withRetry(trial);
    expect(check(trial)).toEqual([]);
  });

  it('uses the last attempt as the result of a host if the run was stopped before the next attempt', () => {
    const trial = soundTrial();
    failFirstStep(trial);
    trial.plans[0].steps[0].retries = { count: 1, delaySeconds: 2 };
    trial.events.splice(2, 0, { ...trial.events[2], type: 'host.retrying', at: 10_350 });
    trial.runs[0].status = 'CANCELLED';
    expect(check(trial).filter(({ invariant }) => /I[2457]/.test(invariant))).toEqual([]);
  });

  it('counts changes and outputs of the resumed run for handlers and insertions', () => {
    const faultsIn = (trial) => check(trial).filter(({ text }) => /changed nothing|never set/.test(text));
    const resumed = soundTrial();
    resumes(resumed, 's2');
    expect(faultsIn(resumed)).toEqual([]);
    const restartedTrial = soundTrial();
    resumes(restartedTrial, null);
    expect(faultsIn(restartedTrial)).toHaveLength(2);
  });

  it('accepts a step that a user retried', () => {
    const trial = soundTrial();
    withRetry(trial);
    trial.plans[0].steps[0].retries = null;
    trial.events[2].type = 'host.finished';
    trial.events.splice(3, 0, decided('retry', 's1', 9_700));
    trial.audit.push({ run: 'r1', action: 'execution.decide', before: null, after: null });
    expect(invariantsOf(trial)).toEqual(new Set(['I9']));
    trial.actions.push({ run: 'r1', act: 'decide retry', step: 's1' });
    expect(check(trial)).toEqual([]);
  });

  it('accepts parallel hosts within a batch and sequential batches', () => {
    const overlappingTrial = soundTrial();
    withSecondHost(overlappingTrial, 10.1, 10.2);
    overlappingTrial.plans[0].steps[0].batch = '2';
    const separateTrial = soundTrial();
    withSecondHost(separateTrial, 10.5, 10.6);
    separateTrial.plans[0].steps[0].batch = '1';
    expect([...check(overlappingTrial), ...check(separateTrial)]).toEqual([]);
  });

  it('accepts an approved run', () => {
    const trial = soundTrial();
    trial.plans[0].environment = 'guarded';
    for (const row of trial.dispatches) row.approval = 'approved';
    approveAt(trial, 5_000);
    expect(check(trial)).toEqual([]);
  });

  it('accepts the guard key of a host with an unknown result until the result is resolved', () => {
    const trial = soundTrial();
    unknown(trial);
    expect(check(trial)).toEqual([]);
    trial.results[1].resolution = 'found_failed';
    trial.guardKeys.pop();
    expect(check(trial)).toEqual([]);
  });

  it('accepts a queued run without guard keys that is cancelled, skipped or run', () => {
    const waits = soundTrial();
    waits.runs[0].status = 'PENDING';
    waits.queue.push({ run: 'r1', reason: 'overlap', arrival: 1 });
    expect([...invariantsOf(waits)].filter((each) => ['I10', 'queue'].includes(each))).toEqual([]);
    const cancelled = soundTrial();
    cancelledInQueue(cancelled);
    const ran = soundTrial();
    queuedRun(ran, 1);
    expect([...check(cancelled), ...check(ran)]).toEqual([]);
    const skipped = soundTrial();
    skippedAfterAdmission(skipped);
    expect([...invariantsOf(skipped)].filter((each) => ['I10', 'queue'].includes(each))).toEqual([]);
  });

  it('accepts an overlap after a user released a host with an unknown result', () => {
    const trial = soundTrial();
    withOverlap(trial);
    setResult(trial, 0, { status: 'UNKNOWN', exitCode: null });
    expect(invariantsOf(trial)).toContain('I6');
    trial.results[0].resolution = 'marked_failed';
    expect(invariantsOf(trial)).not.toContain('I6');
  });

  it('accepts an unfinished last line of a command with an unknown result', () => {
    const trial = soundTrial();
    setResult(trial, 0, { status: 'UNKNOWN', exitCode: null });
    trial.outputs[0].text = 'n1 1 \nn1 ';
    expect(invariantsOf(trial)).not.toContain('I8');
  });

  it('accepts output that continues the unfinished line of a killed command', () => {
    const trial = soundTrial();
    withRetry(trial);
    trial.evidence[0].lines = 1;
    trial.outputs[0].text = 'n0 1 n1 1 \nn1 2 \n';
    expect(invariantsOf(trial)).not.toContain('I8');
  });

  it('accepts a paused run with a reason', () => {
    const trial = soundTrial();
    Object.assign(trial.runs[0], { status: 'PAUSED', pause: { reason: 'STEP_CONFIRM' } });
    expect(check(trial).filter(({ kind }) => kind === 'stuck')).toEqual([]);
  });
});
