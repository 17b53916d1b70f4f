import { describe, expect, it } from '@jest/globals';
import { check } from './checker.mjs';
import { parseEvidence } from './evidence.mjs';

/** A trial with one run of two steps on one host, as it should be. */
function soundTrial() {
  const audit = [
    [null, 'PENDING'],
    ['PENDING', 'RUNNING'],
    ['RUNNING', 'SUCCEEDED'],
  ].map(([before, after]) => ({ run: 'r1', before, after }));
  const changes = audit.map(({ before, after }) => ({
    run: 'r1',
    type: 'execution.status_changed',
    data: { previous: before, status: after },
  }));
  const ended = (stepKey) => ({
    run: 'r1',
    type: 'host.finished',
    data: { stepKey, serverId: 'v1', status: 'SUCCEEDED' },
  });
  const result = { run: 'r1', server: 'v1', status: 'SUCCEEDED', attempts: 1, epoch: 1, exitCode: 0 };
  return {
    asked: [{ marker: 'm1', id: 'r1', plan: 'p1' }],
    again: {},
    evidence: parseEvidence(
      'h1',
      `start m1 s1 n1 10.00 d1 boot
line m1 s1 n1 10.10 1
line m1 s1 n1 10.20 2
end m1 s1 n1 10.30 0
start m1 s2 n2 11.00 d2 boot
end m1 s2 n2 11.50 0
`,
    ),
    runs: [{ id: 'r1', marker: 'm1', status: 'SUCCEEDED', epoch: 1, owner: 'w1' }],
    steps: [
      { run: 'r1', index: 0, key: 's1', status: 'SUCCEEDED' },
      { run: 'r1', index: 1, key: 's2', status: 'SUCCEEDED' },
    ],
    hosts: [{ run: 'r1', server: 'v1', host: 'h1', hostname: '127.0.9.1', port: 22, status: 'SUCCEEDED' }],
    results: [
      { ...result, index: 0, dispatchId: 'd1' },
      { ...result, index: 1, dispatchId: 'd2' },
    ],
    dispatches: [
      { run: 'r1', index: 0, server: 'v1', dispatchId: 'd1', attempt: 1, epoch: 1 },
      { run: 'r1', index: 1, server: 'v1', dispatchId: 'd2', attempt: 1, epoch: 1 },
    ],
    outputs: [{ run: 'r1', index: 0, server: 'v1', text: 'n1 1 \nn1 2 \n' }],
    events: [
      ...changes.slice(0, 2),
      ended('s1'),
      ended('s2'),
      changes[2],
      { run: 'r1', type: 'execution.finished', data: {} },
    ],
    audit,
    guardKeys: [],
  };
}

/** The same with a run of somebody else on the host while `m1 s1` ran there. */
function withOverlap(trial) {
  trial.evidence.push(...parseEvidence('h1', 'start m2 s1 n9 10.15 d9 boot\nend m2 s1 n9 10.25 0\n'));
  trial.runs.push({ id: 'r2', marker: 'm2', status: 'RUNNING', epoch: 1 });
}

/** Each breaks a sound trial in one way, and names the invariant that must tell. */
const BREAKS = [
  ['I1', 'a run that was answered by 201 is not stored', (t) => t.asked.push({ marker: 'm3', id: 'r3' })],
  ['I1', 'one start made two runs', (t) => t.runs.push({ id: 'r2', marker: 'm1', status: 'FAILED' })],
  ['I1', 'a run goes on for ever', (t) => (t.runs[0].status = 'RUNNING')],
  ['I1', 'a run is paused and nobody knows why', (t) => (t.runs[0].status = 'PAUSED')],
  ['I2', 'one dispatch began twice', (t) => t.evidence.push({ ...t.evidence[0], nonce: 'n3' })],
  ['I2', 'a step began twice on a host', (t) => t.evidence.push({ ...t.evidence[1], nonce: 'n3', dispatchId: 'd3' })],
  ['I3', 'a start has no intent', (t) => (t.dispatches = t.dispatches.slice(1))],
  [
    'I3',
    'a start has no intent, where no list is kept',
    (t) => ((t.dispatches = null), (t.results[0].dispatchId = null)),
  ],
  ['I4', 'a success was not seen by the host', (t) => (t.evidence[0].exitCode = 3)],
  ['I4', 'a success has no start at all', (t) => t.evidence.pop()],
  [
    'I4',
    'a failure has an exit code of its own',
    (t) => Object.assign(t.results[1], { status: 'FAILED', exitCode: 7 }),
  ],
  ['I5', 'an unreachable host saw a start', (t) => (t.results[1].status = 'UNREACHABLE')],
  [
    'I5',
    'a cancelled command was told not to have started',
    (t) =>
      Object.assign(t.results[1], { status: 'CANCELLED', message: 'Cancelled before the command was started here.' }),
  ],
  ['I6', 'two runs were on one host', withOverlap],
  ['I7', 'something was written after the end', (t) => t.events.push({ run: 'r1', type: 'output.appended', data: {} })],
  ['I7', 'a host ended twice', (t) => t.events.splice(3, 0, t.events[2])],
  ['I7', 'an older epoch began a command', (t) => (t.dispatches[0].epoch = 2)],
  ['I8', 'a line is missing', (t) => (t.outputs[0].text = 'n1 2 \n')],
  ['I8', 'a line is doubled', (t) => (t.outputs[0].text = 'n1 1 \nn1 1 \nn1 2 \n')],
  ['I8', 'the end of a success is missing', (t) => (t.outputs[0].text = 'n1 1 \n')],
  ['I8', 'a line was never printed', (t) => (t.outputs[0].text += 'n1 3 \n')],
  ['I8', 'a line belongs to another command', (t) => (t.outputs[0].text += 'n2 1 \n')],
  ['I9', 'a transition has no audit entry', (t) => t.audit.pop()],
  ['I9', 'a transition has two audit entries', (t) => t.audit.push(t.audit[2])],
  ['I9', 'the status is not the one that was told last', (t) => (t.runs[0].status = 'FAILED')],
  ['I10', 'a finished run holds a key', (t) => t.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' })],
  [
    'I10',
    'a run with an unknown result holds more than that host',
    (t) => {
      t.results[1].status = 'UNKNOWN';
      t.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' }, { run: 'r1', key: 'plan:p1:e1' });
    },
  ],
  ['I10', 'a host with an unknown result is free', (t) => (t.results[1].status = 'UNKNOWN')],
  ['I10', 'a run that goes on does not hold its host', (t) => (t.runs[0].status = 'RUNNING')],
  ['order', 'a step began before the one before had ended', (t) => (t.evidence[1].startedAt = 10.25)],
];

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

  it('lets a person run a step again', () => {
    const trial = soundTrial();
    trial.evidence.splice(1, 0, {
      ...trial.evidence[0],
      nonce: 'n0',
      dispatchId: 'd0',
      startedAt: 9,
      lastAt: 9.5,
      lines: 1,
    });
    trial.dispatches.unshift({ ...trial.dispatches[0], dispatchId: 'd0' });
    trial.outputs[0].text = 'n0 1 \nn1 1 \nn1 2 \n';
    trial.again['m1 s1'] = 1;
    expect(check(trial)).toEqual([]);
  });

  it('lets a host with an unknown result keep its key where a journal could still tell', () => {
    const trial = soundTrial();
    trial.results[1].status = 'UNKNOWN';
    trial.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' });
    expect(invariantsOf(trial)).toEqual(new Set());
    trial.dispatches = null;
    expect(invariantsOf(trial)).toEqual(new Set(['I10']));
  });

  it('takes output that ends within a line of a command that is lost', () => {
    const trial = soundTrial();
    trial.results[0].status = 'UNKNOWN';
    trial.guardKeys.push({ run: 'r1', key: 'host:127.0.9.1:22' });
    trial.outputs[0].text = 'n1 1 \nn1 ';
    expect(check(trial)).toEqual([]);
  });

  it('takes a paused run that says why', () => {
    const trial = soundTrial();
    Object.assign(trial.runs[0], { status: 'PAUSED', pause: { reason: 'STEP_CONFIRM' } });
    expect(check(trial).filter(({ kind }) => kind === 'stuck')).toEqual([]);
  });
});
