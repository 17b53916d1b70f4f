import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestMember, TestWorker } from '../../../backend/test/support/installation.js';
import { type LabPlan, type LabStep, type RunLab, startRunLab } from '../../../backend/test/support/run-lab.js';
import { formsOf } from '../../../backend/test/support/stored-forms.js';
import { queryAs } from '../../../backend/test/support/table-contents.js';
import { PastAudit } from '../../../backend/src/audit/past-audit.js';
import { UnitOfWork } from '../../../backend/src/common/database/unit-of-work.js';
import type { ExecutionView } from '../../../backend/src/executions/contract/execution.view.js';
import { createChance } from '../invent/chance.js';
import { inventRuns } from '../invent/invent-runs.js';
import { inventLandscape, type Landscape } from '../invent/landscape.js';
import { insertLandscape } from './landscape-rows.js';
import { ensurePeople, firstAdmin } from './people.js';
import { toPastEntries, insertRuns } from './run-rows.js';
import type { RunCourse } from '../invent/run-course.js';

const FROM = new Date('2024-01-01T00:00:00Z');
const TO = new Date('2026-01-01T00:00:00Z');
const WINDOW = { from: new Date('2025-01-01T00:00:00Z'), to: TO };
const REQUEST = { tenant: undefined, runs: 0, environments: 2, servers: 16, years: 2 };

let lab: RunLab;
let worker: TestWorker;
let second: TestMember;
let admin: TestMember;
let landscape: Landscape;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  worker = await lab.runward.worker();
  second = await lab.runward.member(lab.admin, 'admin');
  // Checks the servers first: the first real run on a new server also compares host keys, but invented runs use known
  // servers.
  const { items } = (await lab.api.get<{ items: { id: string }[] }>('/api/inventory/servers')).body;
  await Promise.all(items.map(({ id }) => lab.api.post(`/api/inventory/servers/${id}/check`)));
  await lab.server({ name: 'down', port: 9, tags: { role: 'down' } });
  admin = await lab.runward.tenant('invented');
  landscape = await settle();
});
afterAll(async () => {
  await worker.stop();
  await lab.close();
});

const inTenant = <T>(work: Parameters<typeof UnitOfWork.prototype.run<T>>[1]): Promise<T> =>
  lab.runward.app.get(UnitOfWork, { strict: false }).run(admin.tenantId, work);

function settle(): Promise<Landscape> {
  return inTenant(async (tx) => {
    const setUp = await firstAdmin(tx, admin.tenantId);
    if (!setUp) throw new Error('The tenant has no admin.');
    const people = await ensurePeople(tx, admin.tenantId, setUp, FROM);
    const key = {
      id: lab.keyId,
      name: 'seeded',
      type: 'ed25519',
      publicKey: 'ssh-ed25519 AAAA',
      fingerprint: 'SHA256:x',
    };
    const inventionBase = { from: FROM, to: TO, turn: 1, key: { ...key, id: admin.userId }, admin: setUp, ...people };
    const made = inventLandscape(REQUEST, inventionBase, createChance(1));
    await insertLandscape(
      tx,
      admin.tenantId,
      { ...made, key: { ...inventionBase.key, sealed: Buffer.alloc(1) } },
      setUp,
      FROM,
    );
    return made;
  });
}

/** Stores the first invented run of the plan that matches. @returns ID of the run */
async function invent(
  plan: string,
  where: 'open' | 'protected',
  matches: (course: RunCourse) => boolean,
): Promise<string> {
  const part: Landscape = {
    ...landscape,
    plans: landscape.plans.filter(({ name }) => name === plan),
    environments: landscape.environments.filter((environment) => environment.protected === (where === 'protected')),
  };
  for (let start = 1; start < 1_000; start += 1) {
    const { courses, runs } = inventRuns(part, WINDOW, 100, createChance(start));
    const course = courses.findIndex((each) => matches(each));
    const run = runs.find((each) => each.course === course);
    if (!run) continue;
    const batch = { courses, runs: [run] };
    await inTenant(async (tx) => {
      await insertRuns(tx, admin.tenantId, batch);
      await lab.runward.app
        .get(PastAudit, { strict: false })
        .appendPastEntries(tx, admin.tenantId, toPastEntries(batch));
    });
    return run.id;
  }
  throw new Error('No run of the kind was invented.');
}

/** Expects that the rows of a real and an invented run have the same form. Snapshots depend on the plan. */
async function expectAlike(real: Pick<ExecutionView, 'id'>, invented: string, more: { snapshot: boolean }) {
  const forms = await formsOf(lab.runward.database, lab.admin.tenantId, real.id, more);
  expect(await formsOf(lab.runward.database, admin.tenantId, invented, more)).toEqual(forms);
}

const run = (steps: LabStep[], more: LabPlan & { start?: Record<string, unknown> } = {}) =>
  lab.run(steps, { targets: 'role in (web, db)', ...more });
const waiting = async (): Promise<ExecutionView> =>
  lab.start(await lab.plan([{ command: 'echo OK' }], { targets: 'role=web' }), { note: 'Weekly' });
const answer = async (verb: 'approve' | 'reject'): Promise<ExecutionView> => {
  const { id, digest } = await waiting();
  await second.api.post(`/api/executions/${id}/${verb}`, { digest, comment: 'Reviewed.' });
  return lab.settled(id);
};

const ended = (status: ExecutionView['status'], mode: ExecutionView['execution_mode'] = 'auto') => {
  return (course: RunCourse): boolean => course.status === status && course.start.mode === mode;
};
const has = (course: RunCourse, code: string): boolean => course.results.some(({ outcome }) => outcome.code === code);
const atOnce = ({ results }: RunCourse): boolean => results.length === 1;
/** Same time limit as the plan "Deploy shop". */
const LIMITED: LabPlan = { timeoutSeconds: 240 };

describe('an invented run is stored like a real one that', () => {
  it('succeeded', async () => {
    const real = await run([{ key: 'clear', command: 'echo OK', timeoutSeconds: 30 }]);
    await expectAlike(real, await invent('Clear caches', 'open', ended('SUCCEEDED')), { snapshot: true });
  });

  it('failed at a command', async () => {
    const real = await run([{ command: 'echo A line; echo Another one >&2; exit 1' }, { command: 'true' }], LIMITED);
    const matches = (course: RunCourse) => ended('FAILED')(course) && atOnce(course) && has(course, 'exit_code');
    await expectAlike(real, await invent('Deploy shop', 'open', matches), { snapshot: false });
  });

  it('reached the timeout of a step', async () => {
    const real = await run([{ command: 'echo A line; sleep 20', timeoutSeconds: 1 }, { command: 'true' }], LIMITED);
    const matches = (course: RunCourse) => ended('FAILED')(course) && atOnce(course) && has(course, 'step_timed_out');
    await expectAlike(real, await invent('Deploy shop', 'open', matches), { snapshot: false });
  });

  it('reached its own time limit', async () => {
    const real = await run([{ command: 'echo A line; sleep 20' }, { command: 'true' }], { timeoutSeconds: 2 });
    const matches = (course: RunCourse) => ended('TIMED_OUT')(course) && course.steps[0]?.status === 'FAILED';
    await expectAlike(real, await invent('Deploy shop', 'open', matches), { snapshot: false });
  });

  it('was cancelled', async () => {
    const steps = [{ command: 'echo A line; sleep 20' }, { command: 'true' }];
    const { id } = await lab.start(await lab.plan(steps, { ...LIMITED, targets: 'role=web' }));
    while ((await lab.lines(id)).length === 0) await lab.api.get(`/api/executions/${id}?wait=1&until=changed`);
    await lab.api.post(`/api/executions/${id}/cancel`, { reason: 'Wrong release.' });
    const matches = (course: RunCourse) => ended('CANCELLED')(course) && atOnce(course);
    const real = await lab.settled(id);
    await expectAlike(real, await invent('Deploy shop', 'open', matches), { snapshot: false });
  });

  it('could not reach a host', async () => {
    const real = await run([{ command: 'echo A line', readOnly: true }], { targets: 'role', maxFailPercent: 50 });
    const matches = (course: RunCourse) => ended('PARTIALLY_SUCCEEDED')(course) && has(course, 'connect_timeout');
    await expectAlike(real, await invent('Check disk space', 'open', matches), { snapshot: false });
  });

  it('was a dry run', async () => {
    const real = await run([{ command: 'echo OK' }], { start: { execution_mode: 'dry_run' } });
    const invented = await invent('Clear caches', 'open', ended('SUCCEEDED', 'dry_run'));
    await expectAlike(real, invented, { snapshot: false });
  });

  it('was approved', async () => {
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { protected: true });
    const real = await answer('approve');
    await expectAlike(real, await invent('Clear caches', 'protected', ended('SUCCEEDED')), { snapshot: false });
  });

  it('was rejected', async () => {
    const real = await answer('reject');
    await expectAlike(real, await invent('Clear caches', 'protected', ended('REJECTED')), { snapshot: false });
  });

  it('expired while waiting for approval', async () => {
    const { id } = await waiting();
    await queryAs(
      lab.runward.database,
      lab.admin.tenantId,
      `update executions set pause_expires_at = now() - interval '1 second' where id = $1`,
      [id],
    );
    await worker.stop();
    worker = await lab.runward.worker();
    let real = await lab.get(id);
    while (!real.finished)
      real = (await lab.api.get<ExecutionView>(`/api/executions/${id}?wait=20&until=settled`)).body;
    await expectAlike(real, await invent('Clear caches', 'protected', ended('EXPIRED')), { snapshot: false });
  });
});
