import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { affected, type Sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { newId } from '../common/ids.js';
import { type AuditActionName, toResourceType } from './audit-actions.js';
import {
  type AuditEntryContent,
  CHAIN_START_HASH,
  type ChainedEntry,
  computeEntryHash,
  computeHeadSeal,
} from './audit-chain.js';
import { AuditKey } from './audit-key.js';
import { ENTRIES_PER_INSERT, insertEntries, appendEntriesSql, lockChainHead } from './audit-rows.js';

/** Recorded action. `before` and `after` contain only visible fields, never a secret. */
export interface AuditAction {
  action: AuditActionName;
  /** Default: the resource type of the action. */
  resourceType?: string;
  resourceId?: string | null;
  resourceName?: string | null;
  before?: object | null;
  after?: object | null;
}

export interface AuditedChange extends Pick<AuditAction, 'action'> {
  before?: NamedRecord | null;
  after?: NamedRecord | null;
}

interface NamedRecord {
  id: string;
  name: string;
}

export type AuditActor =
  | Principal
  | { kind: 'system'; tenantId: string; name: string }
  | { kind: 'user'; tenantId: string; userId: string; name: string; address: string; requestId: string }
  | {
      kind: 'anonymous';
      tenantId: string;
      userId: string | null;
      name: string | null;
      address: string;
      requestId: string;
    };

type UnsequencedEntry = Omit<AuditEntryContent, 'id' | 'at'>;

@Injectable()
export class AuditTrail {
  private readonly waiting = new WeakMap<EntityManager, UnsequencedEntry[]>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly key: AuditKey,
  ) {}

  /**
   * Records an action. The entry is written at the end of the unit of work of `tx`, and rolled back with it. Writing
   * locks the head of the tenant's chain, so it happens as late as possible.
   */
  async record(tx: EntityManager, actor: AuditActor, fact: AuditAction): Promise<void> {
    const content = toEntryContent(actor, fact);
    const waiting = this.waiting.get(tx);
    if (waiting) {
      waiting.push(content);
      return;
    }
    const list = [content];
    this.waiting.set(tx, list);
    this.units.beforeCommit(tx, () => this.appendEntries(tx, actor.tenantId, list));
  }

  /**
   * Records an action on the whole installation, in a unit of work without a tenant. The trail of each actor's tenant
   * gets an entry.
   */
  recordInEachTenant(tx: EntityManager, actors: readonly AuditActor[], fact: AuditAction): void {
    this.units.beforeCommit(tx, async () => {
      for (const actor of actors) {
        await this.units.enterTenant(tx, actor.tenantId);
        await this.appendEntries(tx, actor.tenantId, [toEntryContent(actor, fact)]).then((last) => affected(tx, last));
      }
    });
  }

  /**
   * Like `record`, but for a change of one record. `before` is absent for a created record, `after` for a deleted
   * record.
   */
  recordChange(tx: EntityManager, actor: AuditActor, { before, after, ...fact }: AuditedChange): Promise<void> {
    const record = after ?? before;
    return this.record(tx, actor, { ...fact, resourceId: record?.id, resourceName: record?.name, before, after });
  }

  /** @returns the statement for the last entries and the head, to be sent with the commit */
  private async appendEntries(tx: EntityManager, tenantId: string, facts: readonly UnsequencedEntry[]): Promise<Sql> {
    const head = await lockChainHead(tx, tenantId, computeHeadSeal(this.key.value, tenantId, 0, CHAIN_START_HASH));
    let { sequence, hash } = head;
    // Writes in parts: an import has thousands of entries, which must not block the event loop.
    let entries: ChainedEntry[] = [];
    for (let from = 0; from < facts.length; from += ENTRIES_PER_INSERT) {
      if (entries.length > 0) await insertEntries(tx, entries);
      entries = facts.slice(from, from + ENTRIES_PER_INSERT).map((fact): ChainedEntry => {
        const content: AuditEntryContent = { ...fact, id: newId(), at: head.now };
        sequence += 1;
        hash = computeEntryHash(this.key.value, hash, sequence, content);
        return { ...content, sequence, hash };
      });
    }
    const end = { sequence, hash, seal: computeHeadSeal(this.key.value, tenantId, sequence, hash) };
    return appendEntriesSql(tenantId, entries, end);
  }
}

const toEntryContent = (actor: AuditActor, fact: AuditAction): UnsequencedEntry => ({
  tenantId: actor.tenantId,
  ...toActorColumns(actor),
  action: fact.action,
  resourceType: fact.resourceType ?? toResourceType(fact.action),
  resourceId: fact.resourceId ?? null,
  resourceName: fact.resourceName ?? null,
  before: toStoredJson(fact.before),
  after: toStoredJson(fact.after),
});

/** Returns the value as JSON stores it: without fields that JSON drops. */
const toStoredJson = (value: object | null | undefined): unknown =>
  value === null || value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);

type ActorColumns = Pick<
  AuditEntryContent,
  'actorKind' | 'actorId' | 'actorName' | 'tokenPrefix' | 'address' | 'requestId'
>;

function toActorColumns(actor: AuditActor): ActorColumns {
  if (!('kind' in actor)) {
    const { userId, name, tokenPrefix, address, requestId } = actor;
    return {
      actorKind: 'user',
      actorId: userId,
      actorName: name,
      tokenPrefix,
      address: address || null,
      requestId: requestId || null,
    };
  }
  const none = { actorId: null, tokenPrefix: null, address: null, requestId: null };
  if (actor.kind === 'system') return { actorKind: 'system', actorName: actor.name, ...none };
  const { kind, userId, name, address, requestId } = actor;
  return { actorKind: kind, actorId: userId, actorName: name, tokenPrefix: null, address, requestId };
}
