import type { EntityManager } from 'typeorm';
import type { PastAuditEntry } from '../../../backend/src/audit/past-audit.js';
import { affected, sql } from '../../../backend/src/common/database/sql.js';
import { SETTING_DEFAULTS } from '../../../backend/src/environments/environment-fields.js';
import { toEnvironmentView } from '../../../backend/src/environments/environments.view.js';
import { toGrantView } from '../../../backend/src/environments/grants/grants.view.js';
import { completeSettings } from '../../../backend/src/inventory/fields/server-settings.js';
import { UNCHECKED_STATE } from '../../../backend/src/inventory/fields/check-state.js';
import { toAuditedServer } from '../../../backend/src/inventory/servers.view.js';
import { toSshKeyView } from '../../../backend/src/keys/keys.view.js';
import type { PlanContent } from '../../../backend/src/plans/steps/plan-content.js';
import { toPlanRecordView } from '../../../backend/src/plans/plans.view.js';
import type {
  Landscape,
  SeedEnvironment,
  SeedKey,
  SeedMember,
  SeedPlan,
  SeedRevision,
  SeedServer,
} from '../invent/landscape.js';
import { pastEntry } from './past-entries.js';

const PORT = 22;

export type SealedSeedKey = SeedKey & { sealed: Buffer };

/** Stores everything except later revisions of plans. @returns entries of the audit trail, oldest first */
export async function insertLandscape(
  tx: EntityManager,
  tenantId: string,
  land: Landscape & { key: SealedSeedKey },
  admin: SeedMember,
  from: Date,
): Promise<PastAuditEntry[]> {
  const entries = [await insertKey(tx, tenantId, land.key, admin, from)];
  entries.push(...(await insertEnvironments(tx, tenantId, land, admin)));
  for (const environment of land.environments)
    entries.push(...(await insertServers(tx, tenantId, environment, land.key, admin)));
  for (const plan of land.plans) entries.push(await insertPlan(tx, tenantId, plan));
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

async function insertKey(
  tx: EntityManager,
  tenantId: string,
  { sealed, ...key }: SealedSeedKey,
  by: SeedMember,
  at: Date,
): Promise<PastAuditEntry> {
  await affected(
    tx,
    sql`insert into ssh_keys (id, tenant_id, name, type, public_key, fingerprint, sealed_private_key, created_at, updated_at)
      values (${key.id}, ${tenantId}, ${key.name}, ${key.type}, ${key.publicKey}, ${key.fingerprint}, ${sealed}, ${at},
        ${at})`,
  );
  const row = {
    ...key,
    tenantId,
    sealedPrivateKey: sealed,
    certificate: null,
    lastUsedAt: null,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  const after = toSshKeyView(row, { usedBy: [], usedByCount: 0, hiddenCount: 0, rotationId: null }, []);
  const resource = { resourceId: key.id, resourceName: key.name };
  return pastEntry({ at, by, action: 'ssh_key.generate', ...resource, before: null, after });
}

async function insertEnvironments(
  tx: EntityManager,
  tenantId: string,
  { environments, approver }: Landscape,
  by: SeedMember,
): Promise<PastAuditEntry[]> {
  const entries: PastAuditEntry[] = [];
  for (const each of environments) {
    const { id, name, description, at } = each;
    await affected(
      tx,
      sql`insert into environments (id, tenant_id, name, description, protected, created_at, updated_at)
        values (${id}, ${tenantId}, ${name}, ${description}, ${each.protected}, ${at}, ${at})`,
    );
    const resource = { resourceId: id, resourceName: name };
    const after = environmentView(each, tenantId);
    entries.push(pastEntry({ at, by, action: 'environment.create', ...resource, before: null, after }));
    if (!each.protected) continue;
    await affected(
      tx,
      sql`insert into environment_grants (tenant_id, environment_id, user_id, level, created_at, updated_at)
        values (${tenantId}, ${id}, ${approver.id}, 'approve', ${at}, ${at})`,
    );
    const who = { id: approver.id, name: approver.name, email: approver.email, kind: 'person' as const };
    const grant = { ...who, environment_id: id };
    const grantView = toGrantView({ ...grant, level: 'approve', created_at: at, updated_at: at, version: 1 });
    entries.push(pastEntry({ at, by, action: 'environment.grant', ...resource, before: null, after: grantView }));
  }
  return entries;
}

const environmentView = ({ id, name, description, at, ...environment }: SeedEnvironment, tenantId: string) =>
  toEnvironmentView(
    {
      id,
      tenantId,
      name,
      description,
      ...SETTING_DEFAULTS,
      protected: environment.protected,
      createdAt: at,
      updatedAt: at,
      version: 1,
    },
    null,
  );

async function insertServers(
  tx: EntityManager,
  tenantId: string,
  environment: SeedEnvironment,
  key: SeedKey,
  by: SeedMember,
): Promise<PastAuditEntry[]> {
  const { servers } = environment;
  await affected(
    tx,
    sql`insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags, host_key, created_at,
        updated_at)
      select id, ${tenantId}::uuid, ${environment.id}::uuid, name, hostname, ${PORT}::int, username, ${key.id}::uuid, tags, "hostKey", at, at
      from jsonb_to_recordset(${JSON.stringify(servers)}::jsonb) as x (id uuid, name text, hostname text, username text, tags jsonb, "hostKey" jsonb,
        at timestamptz)`,
  );
  return servers.map((server) => {
    const resource = { resourceId: server.id, resourceName: server.name };
    const after = serverView(server, tenantId, environment.id, key.id);
    return pastEntry({ at: server.at, by, action: 'server.create', ...resource, before: null, after });
  });
}

const serverView = (server: SeedServer, tenantId: string, environmentId: string, sshKeyId: string) => {
  const { id, name, hostname, username, tags, hostKey, at } = server;
  const where = { environmentId, hostname, port: PORT, username, sshKeyId };
  const known = {
    hostKey,
    moreHostKeys: [],
    pinnedBy: null,
    pinnedById: null,
    pinnedHow: 'registered' as const,
    jumpServerId: null,
    ...completeSettings({}),
    seenHostKey: null,
    ...UNCHECKED_STATE,
    lastReachedAddress: null,
    externalSource: null,
    externalId: null,
    disabledByImport: false,
    knownDouble: false,
    facts: null,
    factsAt: null,
  };
  const times = { createdAt: at, updatedAt: at, version: 1 };
  return toAuditedServer({ id, tenantId, name, ...where, tags, enabled: true, ...known, ...times }, new Set());
};

async function insertPlan(tx: EntityManager, tenantId: string, plan: SeedPlan): Promise<PastAuditEntry> {
  const [first] = plan.revisions as [SeedRevision];
  await affected(
    tx,
    sql`insert into plans (id, tenant_id, name, description, revision, created_at, updated_at)
      values (${plan.id}, ${tenantId}, ${plan.name}, ${plan.sketch.description}, 1, ${first.at}, ${first.at})`,
  );
  await insertRevision(tx, tenantId, plan.id, first);
  const resource = { resourceId: plan.id, resourceName: plan.name };
  const after = planView(plan, tenantId, first);
  return pastEntry({ at: first.at, by: first.author, action: 'plan.create', ...resource, before: null, after });
}

/** Stores a later revision of a plan. @returns entry of the audit trail */
export async function savePlan(
  tx: EntityManager,
  tenantId: string,
  plan: SeedPlan,
  revision: SeedRevision,
): Promise<PastAuditEntry> {
  const { number, at, author } = revision;
  await affected(
    tx,
    sql`update plans set revision = ${number}, version = ${number}, updated_at = ${at}
      where tenant_id = ${tenantId} and id = ${plan.id}`,
  );
  await insertRevision(tx, tenantId, plan.id, revision);
  const previous = plan.revisions[number - 2] ?? revision;
  const resource = { resourceId: plan.id, resourceName: plan.name };
  const [before, after] = [previous, revision].map((each) => planView(plan, tenantId, each));
  return pastEntry({
    at,
    by: author,
    action: 'plan.update',
    ...resource,
    before: before ?? null,
    after: after ?? null,
  });
}

const insertRevision = (
  tx: EntityManager,
  tenantId: string,
  planId: string,
  { id, number, content, author, at }: SeedRevision,
): Promise<unknown> =>
  affected(
    tx,
    sql`insert into plan_revisions (id, tenant_id, plan_id, number, content, created_by, created_at)
      values (${id}, ${tenantId}, ${planId}, ${number}, ${JSON.stringify(content satisfies PlanContent)}, ${author.id},
        ${at})`,
  );

function planView({ id, name, sketch, revisions }: SeedPlan, tenantId: string, { number, content, at }: SeedRevision) {
  const createdAt = revisions[0]?.at ?? at;
  const record = {
    ...{ id, tenantId, name, description: sketch.description, environmentId: null, collectionId: null },
    ...{ gitFolderId: null, gitSourceId: null, gitPath: null, gitCommit: null },
  };
  return toPlanRecordView({ ...record, revision: number, createdAt, updatedAt: at, version: number }, content, null);
}
