import { describe, expect, it } from '@jest/globals';
import { check } from './checker.mjs';
import { decided, freeTrial, RESULT, sent, STEP } from './sound-trials.mjs';

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

describe('the checker, of hosts that go on by themselves', () => {
  it('finds nothing where each goes through its steps in order', () => {
    expect(check(freeTrial())).toEqual([]);
  });

  it.each(FREE_BREAKS)('tells "%s" when %s', (words, _title, spoil) => {
    const trial = freeTrial();
    spoil(trial);
    expect(check(trial).map(({ text }) => text)).toContainEqual(expect.stringContaining(words));
  });

  it('takes steps that run always, and what a person answered, after a failure', () => {
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
    expect(new Set(check(answered).map(({ invariant }) => invariant))).not.toContain('order');
  });
});
