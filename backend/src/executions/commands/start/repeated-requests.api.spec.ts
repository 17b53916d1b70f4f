import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApprovalLab, startApprovalLab, type SteeringAnswer } from '../../../../test/support/approval-lab.js';
import type { ApiClient, Answer } from '../../../../test/support/api-client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { operations } from '../../../../test/support/openapi.js';
import type { ExecutionView } from '../../contract/execution.view.js';

type Send = () => Promise<Answer<SteeringAnswer>>;

let lab: ApprovalLab;
let planId: string;
let gateId: string;
let keys = 0;

const with_ = (api: ApiClient, path: string, body?: object): Send => {
  keys += 1;
  const headers = { 'idempotency-key': `key-${keys}` };
  return () => api.post<SteeringAnswer>(path, body, headers);
};
const at = (id: string, action: string) => `/api/executions/${id}/${action}`;
const waiting = (): Promise<ExecutionView> => lab.waiting(planId);
const unprotected = async <T>(work: () => Promise<T>): Promise<T> => {
  await lab.policy({ protected: false });
  try {
    return await work();
  } finally {
    await lab.policy({ protected: true });
  }
};
/**
 * Starts a run whose command is running. A run that has not begun would wait for approval when the environment is
 * protected again.
 */
const makeRunningRun = () =>
  unprotected(async () => {
    const { id } = await lab.start(await lab.plan(['sleep 60', 'true']));
    await eventually('its command runs', async () => (await lab.results(id))[0]?.status === 'RUNNING');
    return id;
  });
const makeRunAtGate = () => unprotected(async () => lab.paused((await lab.start(gateId)).id));

/** One request for each operation that steers a run, and its entry in the audit trail. */
const STEERING_REQUESTS: Record<string, { make: () => Promise<Send>; entry: string }> = {
  approveExecution: {
    entry: 'execution.approve',
    make: async () => {
      const { id, digest } = await waiting();
      return with_(lab.approver.api, at(id, 'approve'), { digest });
    },
  },
  rejectExecution: {
    entry: 'execution.reject',
    make: async () => with_(lab.approver.api, at((await waiting()).id, 'reject'), { comment: 'not tonight' }),
  },
  withdrawApproval: {
    entry: 'execution.withdraw_approval',
    make: async () => {
      await lab.policy({ requiredApprovals: 2 });
      const { id, digest } = await waiting();
      expect((await lab.approve(id, lab.approver.api, { digest })).status).toBe(200);
      await lab.policy({ requiredApprovals: 1 });
      return with_(lab.approver.api, at(id, 'withdraw-approval'));
    },
  },
  decideExecution: {
    entry: 'execution.decide',
    make: async () =>
      with_(lab.api, at((await makeRunAtGate()).id, 'decisions'), { stepKey: 'gate', action: 'proceed' }),
  },
  pauseExecution: {
    entry: 'execution.pause',
    make: async () => with_(lab.api, at(await makeRunningRun(), 'pause')),
  },
  switchExecutionMode: {
    entry: 'execution.switch_mode',
    make: async () => {
      const { id } = await lab.waiting(planId, lab.operator.api, { execution_mode: 'interactive' });
      return with_(lab.operator.api, at(id, 'mode'), { execution_mode: 'auto' });
    },
  },
  cancelExecution: {
    entry: 'execution.cancelled',
    make: async () => with_(lab.operator.api, at((await waiting()).id, 'cancel'), { reason: 'wrong release' }),
  },
  overrideExecutionFreeze: {
    entry: 'execution.override_freeze',
    make: async () => {
      const { body } = await lab.api.post<{ id: string }>('/api/collections', { name: 'frozen' });
      const { id } = await lab.waiting(await lab.plan(['true'], { collectionId: body.id }));
      const freeze = { reason: 'release', until: '2100-01-01T00:00:00Z' };
      await lab.api.patch(`/api/collections/${body.id}`, { freeze });
      return with_(lab.api, at(id, 'freeze-override'), { reason: 'agreed' });
    },
  },
  rerunExecution: {
    entry: 'execution.start',
    make: async () => {
      const { id } = await waiting();
      await lab.operator.api.post(at(id, 'cancel'), {});
      return with_(lab.operator.api, at(id, 'rerun'), { hosts: 'all', snapshot: 'same' });
    },
  },
  // Must be the last one: after its policy, no run begins in the environment.
  overrideExecutionWindow: {
    entry: 'execution.override_window',
    make: async () => {
      const { id } = await waiting();
      const hour = String((new Date().getUTCHours() + 12) % 24).padStart(2, '0');
      const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
      await lab.policy({ runWindows: { timeZone: 'UTC', open: [{ days, from: `${hour}:00`, to: `${hour}:30` }] } });
      return with_(lab.api, at(id, 'window-override'), { reason: 'agreed' });
    },
  },
};

beforeAll(async () => {
  lab = await startApprovalLab({ hosts: 1 });
  await lab.runward.worker();
  planId = await lab.plan(['true']);
  gateId = await lab.plan([{ key: 'gate', type: 'gate', message: 'Go on?' }]);
});
afterAll(() => lab.close());

const entriesOf = async (action: string) => {
  const [row] = await lab.runward.database.query<{ count: number }>(
    'select count(*)::int as count from audit_entries where action = $1',
    [action],
  );
  return row?.count;
};

describe.each(Object.entries(STEERING_REQUESTS))('%s with an Idempotency-Key', (_, { make, entry }) => {
  it('acts once and returns the same response again, whatever happened to the run since', async () => {
    const send = await make();
    const before = (await entriesOf(entry)) ?? 0;
    const first = await send();
    expect([200, 201]).toContain(first.status);
    expect(await entriesOf(entry)).toBe(before + 1);
    const again = await send();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([first.status, 'true']);
    expect(again.body).toEqual(first.body);
    expect(await entriesOf(entry)).toBe(before + 1);
    await lab.api.post(at(first.body.id, 'cancel'), {});
    await lab.settled(first.body.id);
  });
});

it('covers every route that accepts the header and stores its response', () => {
  const idempotentOperations = operations.filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key'),
  );
  const steeringOperations = idempotentOperations
    .filter(({ path }) => path.startsWith('/api/executions/'))
    .map((each) => each.operationId);
  // `resolveHost` is missing above: a host's result can be settled only once, so a second request has nothing to
  // settle.
  expect(steeringOperations.sort()).toEqual([...Object.keys(STEERING_REQUESTS), 'resolveHost'].sort());
});
