/** Trials without violations, as input of `check`. Tests of the checker add faults to them. */
import { parseEvidence } from './evidence.mjs';

export const STEP = { type: 'command', hosts: ['h1'], idempotent: false, always: false, onlyIfChanged: [], uses: null };

export const RESULT = { run: 'r1', server: 'v1', status: 'SUCCEEDED', attempts: 1, exitCode: 0, resolution: null };

export const EXIT_CODE = { code: 'exit_code', text: 'The command ended with exit code 3.' };

/** One run of two steps on one host, which booted at time 0. */
export function soundTrial() {
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
    startRequests: [{ marker: 'm1', id: 'r1' }],
    actions: [],
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
        onOverlap: 'refuse',
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
    stepEntries: [],
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
    queue: [],
    files: [],
  };
}

export function event(type, at, data) {
  return { run: 'r1', type, at, data };
}

export function sent(dispatchId, index, at, more = {}) {
  const owner = { status: 'RUNNING', epoch: 1, runEpoch: 1, sliceEpoch: null, sliced: false, approval: null };
  return { run: 'r1', index, server: 'v1', dispatchId, attempt: 1, at, ...owner, ...more };
}

export function ended(stepKey, at, more = {}) {
  const data = { stepKey, serverId: 'v1', status: 'SUCCEEDED', exitCode: 0, reason: null, changed: false };
  return event('host.finished', at, { ...data, ...more });
}

/** Sets the outcome of a host step in its stored result and in its event, each in its own form. */
export function setOutcome(result, { data }, { reason = null, ...values }) {
  Object.assign(result, values, reason && { code: reason.code, message: reason.text });
  Object.assign(data, values, { reason });
}

export const decided = (action, stepKey, at, more = {}) =>
  event('decision.made', at, { action, stepKey, serverIds: null, ...more });

/**
 * Like `soundTrial`, but with strategy `free`: the first host runs its second step while the second host is in its
 * first step. Then both run a third step.
 */
export function freeTrial() {
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
  trial.stepEntries = trial.results.map(({ run, index, server, dispatchId }) => {
    const { at } = trial.dispatches.find((row) => row.dispatchId === dispatchId);
    return { run, index, server, after: trial.events.filter((each) => each.at < at).length, pauseRequested: false };
  });
  return trial;
}
