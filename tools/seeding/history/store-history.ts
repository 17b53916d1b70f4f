import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { EntityManager } from 'typeorm';
import { affected, rows, sql } from '../../../backend/src/common/database/sql.js';
import { UnitOfWork } from '../../../backend/src/common/database/unit-of-work.js';
import { readSettings } from '../../../backend/src/common/settings/settings.js';
import { readRunContent } from '../../../backend/src/executions/record/run-content.js';
import { computeDigest } from '../../../backend/src/executions/record/snapshot.js';
import { TenantCreation } from '../../../backend/src/tenancy/create-tenant.js';
import { type Chance, createChance } from '../invent/chance.js';
import { createIdAt } from '../invent/id-at.js';
import type { RunBatch } from '../invent/invent-runs.js';
import type { SeedMember, SeedPlan } from '../invent/landscape.js';
import type { Start } from '../invent/run-course.js';
import { asMember } from '../store/people.js';
import { insertRuns } from '../store/run-rows.js';
import { withServices } from '../with-services.js';
import { type BaseRun, listBaseRuns } from './base-runs.js';
import type { HistoryRequest, PlanHistory } from './history-request.js';
import { simulatePastRun } from './past-run.js';

const DAY_MS = 86_400_000;
const SEED = 20_261;
/** Working hours in UTC. */
const OPENS = 7;
const CLOSES = 17;

const request = JSON.parse(await text(process.stdin)) as HistoryRequest;
await withServices(
  readSettings(process.env),
  () => undefined,
  async (context) => {
    const tenants = await context.get(TenantCreation, { strict: false }).list();
    const tenant = tenants.find(({ name }) => name === request.tenant);
    if (!tenant) throw new Error(`There is no tenant "${request.tenant}".`);
    // The audit trail gets no entries, because it records only what happened.
    await context.get(UnitOfWork, { strict: false }).run(tenant.id, async (tx) => {
      const batch = inventBatch(await listBaseRuns(tx, tenant.id), await listPeople(tx, tenant.id), createChance(SEED));
      await insertRuns(tx, tenant.id, batch);
      const ids = batch.runs.map(({ id }) => id);
      const labels = JSON.stringify(request.labels);
      await affected(
        tx,
        sql`update executions set labels = ${labels}::jsonb where tenant_id = ${tenant.id} and id = any (${ids})`,
      );
      await affected(
        tx,
        sql`insert into execution_labels (tenant_id, execution_id, key, value)
          select ${tenant.id}::uuid, id, l.key, l.value from unnest(${ids}::uuid[]) as id, jsonb_each_text(${labels}::jsonb) l`,
      );
    });
  },
);

interface People {
  starters: SeedMember[];
  approver: SeedMember;
}

async function listPeople(tx: EntityManager, tenantId: string): Promise<People> {
  const known = await rows(
    tx,
    sql<
      Pick<SeedMember, 'id' | 'email' | 'name' | 'role'>
    >`select id, email, name, role from users where tenant_id = ${tenantId}`,
  );
  const find = (email: string): SeedMember => {
    const member = known.find((each) => each.email === email);
    if (!member) throw new Error(`There is no member ${email}.`);
    return asMember(member);
  };
  return { starters: request.starters.map(find), approver: find(request.approver) };
}

function inventBatch(bases: readonly BaseRun[], people: People, chance: Chance): RunBatch {
  const batch: RunBatch = { courses: [], runs: [] };
  for (const base of bases) {
    const history = request.plans.find(({ plan }) => plan === base.plan_name);
    const weekly = history?.weekly[base.environment_name] ?? 0;
    const moments = pickMoments(Math.round((weekly * request.days) / 7), chance);
    for (const [index, at] of moments.entries()) {
      const course = simulatePastRun(
        toPastRun(base, history as PlanHistory, index / moments.length, people, chance),
        chance,
      );
      batch.courses.push(course);
      batch.runs.push({ id: createIdAt(at), course: batch.courses.length - 1, at, pace: 1, requestId: randomUUID() });
    }
  }
  batch.runs.sort((a, b) => a.at.getTime() - b.at.getTime());
  return batch;
}

/** Returns times in working hours that ended at least a day ago, oldest first. */
function pickMoments(count: number, chance: Chance): Date[] {
  const end = Date.now() - DAY_MS;
  const moment = (): number => {
    for (;;) {
      const at = new Date(end - chance.between(0, request.days * DAY_MS));
      if (at.getUTCDay() % 6 !== 0 && at.getUTCHours() >= OPENS && at.getUTCHours() < CLOSES) return at.getTime();
    }
  };
  return Array.from({ length: count }, moment)
    .sort((a, b) => a - b)
    .map((ms) => new Date(ms));
}

/** @param age 0 = oldest run, 1 = newest */
function toPastRun(base: BaseRun, history: PlanHistory, age: number, { starters, approver }: People, chance: Chance) {
  const { replace, failing, failures } = history;
  const older = replace?.by[Math.floor(age * replace.by.length)] ?? '';
  const rewrite = (output: string): string =>
    replace ? output.replaceAll(replace.text, older).replaceAll('{release}', older) : output;
  const variables = JSON.parse(rewrite(JSON.stringify(base.snapshot.variables))) as typeof base.snapshot.variables;
  const snapshot = { ...base.snapshot, plan: readRunContent(base.snapshot.plan), variables };
  const hosts = base.hosts.map(({ reached_address: _, ...host }) => host);
  const start: Start = {
    // The simulation needs only these fields of the plan.
    plan: { id: base.plan_id, name: base.plan_name } as SeedPlan,
    revision: base.plan_revision,
    environment: {
      ...{ id: base.environment_id, name: base.environment_name, description: '', protected: base.protected },
      ...{ at: new Date(0), servers: [] },
    },
    snapshot,
    digest: computeDigest(snapshot, hosts, base.environment_id, {}),
    hosts,
    addresses: new Map(base.hosts.map((host) => [host.server_id, host.reached_address ?? ''])),
    mode: 'auto',
    note: request.note,
    by: chance.pick(starters),
  };
  return { base, start, approver, failure: chance.happens(failing) ? chance.pick(failures) : null, rewrite };
}
