import { describe, expect, it } from '@jest/globals';
import { check } from './checker.mjs';
import { decided, EXIT_CODE, freeTrial, RESULT, sent, setOutcome, STEP } from './sound-trials.mjs';

const workOf = (trial, id) => trial.evidence.find(({ nonce }) => nonce === id);

/** Makes the second step fail on the first host at 11.52 s. Later steps do not run there. */
function failFreely(trial) {
  workOf(trial, 'h11').exitCode = 3;
  const result = trial.results.find(({ dispatchId }) => dispatchId === 'h11');
  setOutcome(result, finishOf(trial, 'v1', 's2'), { status: 'FAILED', exitCode: 3, reason: EXIT_CODE });
  trial.hosts[0].status = 'FAILED';
  trial.runs[0].status = 'PARTIALLY_SUCCEEDED';
  trial.audit.at(-1).after = 'PARTIALLY_SUCCEEDED';
  trial.events.findLast(({ type }) => type === 'execution.status_changed').data.status = 'PARTIALLY_SUCCEEDED';
  for (const key of ['evidence', 'dispatches', 'results'])
    trial[key] = trial[key].filter((row) => (row.nonce ?? row.dispatchId) !== 'h12');
  trial.stepEntries = trial.stepEntries.filter(({ index, server }) => index !== 2 || server !== 'v1');
  trial.events = trial.events.filter((each) => each !== finishOf(trial, 'v1', 's3'));
}

const finishOf = (trial, server, key) =>
  trial.events.find(({ type, data }) => type === 'host.finished' && data.serverId === server && data.stepKey === key);

/** Makes the second host enter its third step after the first host failed in the second step. */
function comeAfterFailure(trial) {
  failFreely(trial);
  trial.stepEntries.find(({ index }) => index === 2).after = finishOf(trial, 'v1', 's2').seq;
}

/** Each entry: expected text, title, and a function that adds one fault to a sound trial with strategy `free`. */
const BROKEN_FREE_TRIALS = [
  [
    'm1 s2 h1 started before m1 s1 h1 ended',
    'a host started a step before its previous step ended',
    (t) => (workOf(t, 'h11').startedAt = 10.2),
  ],
  [
    'm1 s3 h1 started before m1 s2 h1 ended',
    'a host ran its steps in the wrong order',
    (t) => (workOf(t, 'h12').startedAt = 10.8),
  ],
  [
    'm1 s2 h1 started before m1 s1 h2 ended',
    'hosts did not wait for each other before a step that runs once',
    (t) => (t.plans[0].steps[1].runOnce = true),
  ],
  [
    'm1 s2 h1 started before m1 s1 h2 ended',
    'hosts did not wait for each other after a step that runs once',
    (t) => (t.plans[0].steps[0].runOnce = true),
  ],
  [
    'm1 s2 h1 started before m1 s1 h2 ended',
    'hosts did not wait for each other before a step with batches',
    (t) => (t.plans[0].steps[1].batch = '2'),
  ],
  [
    'm1 s2 h1 started before m1 s1 h2 ended',
    'hosts did not wait for each other after a step with batches',
    (t) => (t.plans[0].steps[0].batch = '2'),
  ],
  [
    'm1 s2 h1 started before m1 s1 h2 ended',
    'hosts did not wait for each other at a gate',
    (t) => splitBy(t, { type: 'gate', hosts: [] }),
  ],
  [
    'm1 s2 h1 started before m1 s1 h2 ended',
    'hosts did not wait for each other at a step with confirmation',
    (t) => ((t.runs[0].mode = 'semi_assisted'), (t.plans[0].steps[1].confirm = true)),
  ],
  [
    'm1 s2 h1 started before m1 s1 h2 ended',
    'hosts did not wait for each other at each step in mode interactive',
    (t) => (t.runs[0].mode = 'interactive'),
  ],
  ['m1 s3 h2 started after s2 failed', 'another host started a step after too many hosts failed', comeAfterFailure],
  [
    'm1 s2 h1 is FAILED, but s3 was sent there',
    'a failed host continued',
    (t) => {
      failFreely(t);
      t.plans[0].steps[1].onFailure = 'continue';
      t.dispatches.push(sent('h12', 2, 11_550));
    },
  ],
  [
    'm1: s3 started after s2 failed',
    'a step of the next segment started after a failed step',
    (t) => {
      failFreely(t);
      t.steps[1].status = 'FAILED';
      t.plans[0].steps[2].batch = '2';
    },
  ],
  [
    'started although a pause was requested',
    'a host continued after a pause was requested',
    (t) => (t.stepEntries[3].pauseRequested = true),
  ],
  [
    'm1 succeeded, but s3 never ran on h1',
    'a host skipped a step of a successful run',
    (t) => (t.results = t.results.filter(({ dispatchId }) => dispatchId !== 'h12')),
  ],
];

function splitBy(trial, step) {
  trial.plans[0].steps.splice(1, 0, { ...STEP, ...step, key: 'gate' });
  for (const row of [...trial.steps, ...trial.results, ...trial.dispatches, ...trial.stepEntries])
    if (row.index > 0) row.index += 1;
  trial.steps.push({ run: 'r1', index: 1, key: 'gate', status: 'SUCCEEDED' });
}

describe('invariant checker for strategy free', () => {
  it('reports nothing if each host runs its steps in order', () => {
    expect(check(freeTrial())).toEqual([]);
  });

  it.each(BROKEN_FREE_TRIALS)('reports "%s" if %s', (words, _title, spoil) => {
    const trial = freeTrial();
    spoil(trial);
    expect(check(trial).map(({ text }) => text)).toContainEqual(expect.stringContaining(words));
  });

  it('accepts "always" steps and decisions of users after a failure', () => {
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
    const [last] = answered.stepEntries.slice(-1);
    answered.events.push({ ...decided('exclude_hosts', 's2', 11_530), seq: last.after + 0.5 });
    last.after += 1;
    expect(new Set(check(answered).map(({ invariant }) => invariant))).not.toContain('order');
  });
});
