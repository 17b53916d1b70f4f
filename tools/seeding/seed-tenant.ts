import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PastAudit, type PastAuditEntry } from '../../backend/src/audit/past-audit.js';
import { hashPassword } from '../../backend/src/common/crypto/password-hash.js';
import { affected, sql } from '../../backend/src/common/database/sql.js';
import { StartError } from '../../backend/src/common/database/start-error.js';
import { UnitOfWork } from '../../backend/src/common/database/unit-of-work.js';
import { KeyVault } from '../../backend/src/keys/key-vault.js';
import { TenantCreation } from '../../backend/src/tenancy/create-tenant.js';
import { generateKeyPair } from '../../backend/src/transport/keys/key-material.js';
import { type Chance, createChance } from './invent/chance.js';
import { createIdAt } from './invent/id-at.js';
import { inventRuns, type Window } from './invent/invent-runs.js';
import { inventLandscape, keyName, type Landscape, readyAt, type SeedMember } from './invent/landscape.js';
import { insertLandscape, savePlan, type SealedSeedKey } from './store/landscape-rows.js';
import { findFreeTurn } from './store/free-turn.js';
import { addPastMember, asMember, ensurePeople, firstAdmin } from './store/people.js';
import { pastEntry } from './store/past-entries.js';
import { inTurns } from './in-turns.js';
import { toPastEntries, insertRuns } from './store/run-rows.js';
import { storeServerStates } from './store/server-states.js';
import type { SeedRequest } from './seed-request.js';

export interface SeedReporter {
  /**
   * Reports the tenant. @param login login of the first admin of a new tenant. It is reported only here, because the
   * password is not stored
   */
  tenant(name: string, login: { email: string; password: string } | null): void;
  /** Reports the number of stored runs. @returns false to stop */
  progress(done: number): boolean;
}

const USUAL_TENANT = 'seeded';
const RUNS_AT_ONCE = 500;
/** Concurrent transactions: one is stored while the next one is invented. */
const CONCURRENT_PERIODS = 2;
/** Minimum number of periods, unless there are fewer runs. */
const MIN_PERIODS = 12;
const YEAR_MS = 365.25 * 86_400_000;
const MINUTE_MS = 60_000;

type Period = Window & { count: number };

interface OwnedTenant {
  id: string;
  name: string;
  admin: SeedMember;
}

/**
 * Fills a tenant with an invented past. Stores it like the application does, under row-level security and in
 * chronological order, with one transaction per period. If seeding is interrupted, the stored part is consistent and
 * its audit trail is valid.
 */
export class SeedTenant {
  private readonly units: UnitOfWork;
  private readonly tenants: TenantCreation;
  private readonly audit: PastAudit;
  private readonly vault: KeyVault;

  constructor(context: INestApplicationContext) {
    this.units = context.get(UnitOfWork, { strict: false });
    this.tenants = context.get(TenantCreation, { strict: false });
    this.audit = context.get(PastAudit, { strict: false });
    this.vault = context.get(KeyVault, { strict: false });
  }

  /**
   * @param now end of the invented past
   * @returns number of stored runs
   * @throws StartError if the tenant has no active admin
   */
  async seed(request: SeedRequest, now: Date, reporter: SeedReporter): Promise<number> {
    const from = new Date(now.getTime() - Math.round(request.years * YEAR_MS));
    const owner = (await this.known(request.tenant, reporter)) ?? (await this.create(request.tenant, from, reporter));
    const random = createChance(request.seed ?? randomBytes(4).readUInt32LE());
    const landscape = await this.settle(owner, request, { from, to: now }, random);
    let done = 0;
    await inTurns(
      periodsOf({ from: readyAt(landscape), to: now }, request.runs),
      CONCURRENT_PERIODS,
      async (period, turn) => {
        await this.store(owner.id, landscape, period, random, turn);
        done += period.count;
        return reporter.progress(done);
      },
    );
    return done;
  }

  private async known(name: string | undefined, reporter: SeedReporter): Promise<OwnedTenant | null> {
    if (name === undefined) return null;
    const found = (await this.tenants.list()).find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (!found) return null;
    const admin = await this.units.run(found.id, (tx) => firstAdmin(tx, found.id));
    if (!admin) throw new StartError(`The tenant "${found.name}" has no active admin: choose another with --tenant.`);
    reporter.tenant(found.name, null);
    return { ...found, admin };
  }

  private async create(requested: string | undefined, at: Date, reporter: SeedReporter): Promise<OwnedTenant> {
    const taken = new Set((await this.tenants.list()).map(({ name }) => name.toLowerCase()));
    let name = requested ?? USUAL_TENANT;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${USUAL_TENANT}-${number}`;
    const id = createIdAt(at);
    const login = { email: emailIn(name), password: randomBytes(15).toString('base64url') };
    const passwordHash = await hashPassword(login.password);
    const admin = await this.units.run(id, async (tx) => {
      await affected(tx, sql`insert into tenants (id, name, created_at) values (${id}, ${name}, ${at})`);
      const { id: _, ...fields } = asMember({ id: '', email: login.email, name: 'Admin', role: 'admin' });
      const added = await addPastMember(tx, id, fields, passwordHash, at);
      const resource = { resourceId: id, resourceName: name };
      const after = { name, admin: login.email, adminId: added.id };
      this.recordAudit(tx, id, [
        pastEntry({ at, by: 'runward', action: 'tenant.create', ...resource, before: null, after }),
      ]);
      return added;
    });
    reporter.tenant(name, login);
    return { id, name, admin };
  }

  private async settle(
    owner: OwnedTenant,
    request: SeedRequest,
    { from, to }: Window,
    random: Chance,
  ): Promise<Landscape> {
    const material = await generateKeyPair({ type: 'ed25519', comment: 'seeded' });
    return this.units.run(owner.id, async (tx) => {
      const turn = await findFreeTurn(tx, owner.id, request.environments);
      const { type, publicKey, fingerprint } = material;
      const id = createIdAt(from);
      const sealed = this.vault.sealPrivateKey(owner.id, id, material.privateKey);
      const key: SealedSeedKey = { id, name: keyName(turn), type, publicKey, fingerprint, sealed };
      const { starters, approver, entries } = await ensurePeople(tx, owner.id, owner.admin, from);
      const seedBasis = { from, to, turn, key, admin: owner.admin, starters, approver };
      const landscape = inventLandscape(request, seedBasis, random);
      const landEntries = await insertLandscape(tx, owner.id, { ...landscape, key }, owner.admin, from);
      this.recordAudit(tx, owner.id, [...entries, ...landEntries]);
      return landscape;
    });
  }

  /** @param turn resolves when all earlier periods are stored */
  private store(
    tenantId: string,
    landscape: Landscape,
    period: Period,
    random: Chance,
    turn: Promise<void>,
  ): Promise<void> {
    const batch = inventRuns(landscape, period, period.count, random);
    return this.units.run(tenantId, async (tx) => {
      const entries = toPastEntries(batch);
      await insertRuns(tx, tenantId, batch);
      await turn;
      await storeServerStates(tx, tenantId, batch);
      for (const plan of landscape.plans) {
        const saves = plan.revisions.slice(1).filter(({ at }) => at >= period.from && at < period.to);
        for (const revision of saves) entries.push(await savePlan(tx, tenantId, plan, revision));
      }
      this.recordAudit(tx, tenantId, entries.sort(byTime));
    });
  }

  /** Runs just before the commit, because it locks the end of the audit chain, for which all other writers wait. */
  private recordAudit(tx: EntityManager, tenantId: string, entries: readonly PastAuditEntry[]): void {
    this.units.beforeCommit(tx, () => this.audit.appendPastEntries(tx, tenantId, entries));
  }
}

const byTime = (a: PastAuditEntry, b: PastAuditEntry): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

/** Splits the past into periods, with fewer runs in the first ones. */
function periodsOf({ from, to }: Window, runs: number): Period[] {
  const limit = Math.max(1, Math.min(RUNS_AT_ONCE, Math.ceil(runs / MIN_PERIODS)));
  const number = Math.ceil(runs / limit);
  const toPeriodEdge = (share: number): Date =>
    new Date(Math.round(from.getTime() + (to.getTime() - MINUTE_MS - from.getTime()) * share ** 0.8));
  return Array.from({ length: number }, (_, index) => ({
    from: toPeriodEdge(index / number),
    to: toPeriodEdge((index + 1) / number),
    count: Math.min(limit, runs - index * limit),
  }));
}

const emailIn = (tenant: string): string => {
  const word = tenant
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `admin@${word || USUAL_TENANT}.invalid`;
};
