import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, insufficientRoleProblem, invalidRequest } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import { toLikePattern, type Page } from '../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../common/http/paging/sorted-page.js';
import { newId } from '../common/ids.js';
import { Collection } from './collection.entity.js';
import { CollectionReader } from './collection-reader.js';
import { requireValidParent, lockCollectionTree, MAX_COLLECTIONS, readPaths, readSubtrees } from './collection-tree.js';
import { COLLECTION_USE, type CollectionUsage } from './collection-use.js';
import type {
  CreateCollectionRequest,
  FreezeRequest,
  ListCollectionsQuery,
  UpdateCollectionRequest,
} from './collections.dto.js';
import { type CollectionView, toCollectionView } from './collections.view.js';

/** Columns of a freeze. A function returns SQL, which the database evaluates. */
type FreezeColumns = Pick<Collection, 'freezeReason' | 'freezeUntil' | 'freezeBy' | 'freezeByName'> & {
  freezeFrom: Date | null | (() => string);
};

const NO_FREEZE_COLUMNS: FreezeColumns = {
  freezeReason: null,
  freezeFrom: null,
  freezeUntil: null,
  freezeBy: null,
  freezeByName: null,
};

@Injectable()
export class CollectionsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly reader: CollectionReader,
    @Inject(COLLECTION_USE) private readonly use: CollectionUsage,
  ) {}

  list(caller: Principal, query: ListCollectionsQuery): Promise<Page<CollectionView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const select = tx
        .getRepository(Collection)
        .createQueryBuilder('collection')
        .where('collection.tenantId = :tenantId', caller);
      if (query.name !== undefined)
        select.andWhere('lower(collection.name) = lower(:exactName)', { exactName: query.name });
      if (query.q) select.andWhere('collection.name ilike :name', { name: toLikePattern(query.q) });
      if (query.parentId !== undefined) select.andWhere('collection.parentId = :parentId', query);
      if (query.topLevel !== undefined)
        select.andWhere(`collection.parentId is ${query.topLevel ? 'null' : 'not null'}`);
      const page = await readPage(select, query, (collection) => collection, NAMED_RECORD_COLUMNS);
      return { ...page, items: await this.readCollectionViews(tx, caller, page.items) };
    });
  }

  get(caller: Principal, id: string): Promise<CollectionView> {
    return this.units.run(caller.tenantId, (tx) => this.readCollectionView(tx, caller, id));
  }

  /**
   * @throws Problem 400; 403 for a freeze by a member who is not an admin; 409 `collection_path`,
   * `too_many_collections`
   */
  async create(caller: Principal, request: CreateCollectionRequest): Promise<CollectionView> {
    requireRoleForRequest(caller, request);
    const id = newId();
    return this.units.run(caller.tenantId, async (tx) => {
      await lockCollectionTree(tx, caller.tenantId);
      const { parentId = null } = request;
      if (parentId !== null) {
        await this.reader.findCollection(tx, caller.tenantId, parentId, '/parentId');
        await requireValidParent(tx, caller.tenantId, { id: null, name: request.name }, parentId);
      }
      const count = await tx.getRepository(Collection).countBy({ tenantId: caller.tenantId });
      if (count >= MAX_COLLECTIONS) {
        const message = `A tenant has at most ${MAX_COLLECTIONS} collections. Delete collections that you no longer need.`;
        throw conflict('too_many_collections', message);
      }
      await tx.getRepository(Collection).insert({
        id,
        tenantId: caller.tenantId,
        name: request.name,
        description: request.description ?? '',
        parentId,
        ...toFreezeColumns(caller, request.freeze ?? null, null),
      });
      const after = await this.readCollectionView(tx, caller, id);
      await this.audit.recordChange(tx, caller, {
        action: 'collection.create',
        after,
      });
      return after;
    });
  }

  /**
   * @throws Problem as `create`; 404; 409 `collection_frozen` if the collection moves out of a frozen collection; 412
   */
  async update(
    caller: Principal,
    id: string,
    request: UpdateCollectionRequest,
    version: number | null,
  ): Promise<CollectionView> {
    requireRoleForRequest(caller, request);
    return this.units.run(caller.tenantId, async (tx) => {
      const collection = await this.lockCollection(tx, caller, id);
      requireVersion(collection, version);
      const { parentId, freeze, ...fields } = request;
      const moves = parentId !== undefined && parentId !== collection.parentId;
      if (moves) {
        await this.reader.requireMovableTo(tx, caller, collection.parentId);
        if (parentId !== null) {
          await this.reader.findCollection(tx, caller.tenantId, parentId, '/parentId');
          await requireValidParent(tx, caller.tenantId, collection, parentId);
        }
      }
      const before = await this.readCollectionView(tx, caller, id);
      await tx.getRepository(Collection).update(
        { tenantId: caller.tenantId, id },
        {
          ...fields,
          ...(moves ? { parentId } : {}),
          ...(freeze === undefined ? {} : toFreezeColumns(caller, freeze, collection.freezeFrom)),
          updatedAt: () => 'now()',
          version: () => 'version + 1',
        },
      );
      if (moves || freeze !== undefined) await this.use.wakeWaitingRuns(tx, caller.tenantId);
      const after = await this.readCollectionView(tx, caller, id);
      await this.audit.recordChange(tx, caller, {
        action: 'collection.update',
        before,
        after,
      });
      return after;
    });
  }

  /** @throws Problem 404; 409 `in_use` if the collection is not empty; 412 */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const collection = await this.lockCollection(tx, caller, id);
      requireVersion(collection, version);
      const before = await this.readCollectionView(tx, caller, id);
      // Plans that the caller can't see prevent the deletion too: the foreign key refuses it, and the error does not
      // name them.
      const subcollectionCount = (await this.reader.listSubtreeIds(tx, caller.tenantId, id)).length - 1;
      if (subcollectionCount > 0 || before.planCount > 0) {
        const what = [describeCount(before.planCount, 'plan'), describeCount(subcollectionCount, 'collection')].filter(
          (text) => text !== '',
        );
        throw conflict('in_use', `${what.join(' and ')} in "${collection.name}": move or delete them first.`);
      }
      const sources = await this.use.gitSourcesInto(tx, caller.tenantId, id);
      if (sources.length > 0)
        throw conflict(
          'in_use',
          `The git source "${sources[0]?.name}" saves plans in "${collection.name}". Remove that folder from the settings of the source, or choose another collection for it.`,
          { referrers: sources.map((source) => ({ type: 'git_source', ...source })) },
        );
      await tx.getRepository(Collection).delete({ tenantId: caller.tenantId, id });
      await this.audit.recordChange(tx, caller, {
        action: 'collection.delete',
        before,
      });
    });
  }

  /** @throws Problem 404 */
  private async lockCollection(tx: EntityManager, caller: Principal, id: string): Promise<Collection> {
    await this.reader.findCollection(tx, caller.tenantId, id);
    await lockCollectionTree(tx, caller.tenantId);
    return this.reader.findCollection(tx, caller.tenantId, id);
  }

  private async readCollectionView(tx: EntityManager, caller: Principal, id: string): Promise<CollectionView> {
    const [view] = await this.readCollectionViews(tx, caller, [
      await this.reader.findCollection(tx, caller.tenantId, id),
    ]);
    if (!view) throw new Error('A collection that was just read has no view.');
    return view;
  }

  private async readCollectionViews(
    tx: EntityManager,
    caller: Principal,
    collections: Collection[],
  ): Promise<CollectionView[]> {
    const ids = collections.map(({ id }) => id);
    const paths = await readPaths(tx, caller.tenantId, ids);
    const subtrees = await readSubtrees(tx, caller.tenantId, ids);
    const counts = await this.use.planCounts(tx, caller, [...new Set([...subtrees.values()].flat())]);
    return collections.map((collection) => {
      const subcollectionCount = subtrees.get(collection.id) ?? [];
      const total = subcollectionCount.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
      return toCollectionView(collection, paths.get(collection.id) ?? [], {
        own: counts.get(collection.id) ?? 0,
        total,
      });
    });
  }
}

const describeCount = (count: number, what: string): string =>
  count === 0 ? '' : count === 1 ? `1 ${what} lies` : `${count} ${what}s lie`;

/** Decides by the fields of the body alone, before any read, so that the 403 reveals nothing (spec, rule 1). */
function requireRoleForRequest(caller: Principal, { freeze }: CreateCollectionRequest | UpdateCollectionRequest): void {
  if (caller.role !== 'admin' && freeze !== undefined) throw insufficientRoleProblem('admin');
}

/**
 * @param since start of the previous freeze. It is kept if it is in the past and the request has no start.
 * @throws Problem 400 for a freeze that is over, or ends before it begins
 */
function toFreezeColumns(caller: Principal, freeze: FreezeRequest | null, since: Date | null): FreezeColumns {
  if (freeze === null) return NO_FREEZE_COLUMNS;
  const now = new Date();
  const startedSince = since !== null && since < now ? since : null;
  const from = freeze.from === undefined ? startedSince : new Date(freeze.from);
  const until = new Date(freeze.until);
  const path = '/freeze/until';
  if (until <= now)
    throw invalidRequest([{ path, code: 'out_of_range', message: 'This time is in the past. Send a future time.' }]);
  if (from !== null && until <= from)
    throw invalidRequest([
      { path, code: 'out_of_range', message: 'A freeze must end after it begins. Send a later time.' },
    ]);
  return {
    freezeReason: freeze.reason,
    // Uses the database's clock, which also decides whether a freeze is active.
    freezeFrom: from ?? (() => 'now()'),
    freezeUntil: until,
    freezeBy: caller.userId,
    freezeByName: caller.name,
  };
}
