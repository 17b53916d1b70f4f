import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import { notFound } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import { isCommitId } from '../urls/git-names.js';
import { GitSource } from './git-source.entity.js';

/** Returns the sources with these names (case-insensitive) or IDs. */
export const findSourcesByNameOrId = (
  tx: EntityManager,
  tenantId: string,
  namesOrIds: readonly string[],
): Promise<{ id: string; name: string }[]> =>
  rows(
    tx,
    sql<{ id: string; name: string }>`select id, name from git_sources
      where tenant_id = ${tenantId} and (lower(name) = any (${namesOrIds.map((name) => name.toLowerCase())})
        or id = any (${namesOrIds.filter(isId)}))`,
  );

@Injectable()
export class GitSourceLookup {
  /**
   * @param path JSON pointer, if the ID is from a request body
   * @throws Problem 404
   */
  async getVisible(tx: EntityManager, tenantId: string, id: string, path?: string): Promise<GitSource> {
    const source = isId(id) ? await tx.getRepository(GitSource).findOneBy({ tenantId, id }) : null;
    if (!source) throw notFound(path);
    return source;
  }

  named(tx: EntityManager, tenantId: string, namesOrIds: readonly string[]): Promise<{ id: string; name: string }[]> {
    return findSourcesByNameOrId(tx, tenantId, namesOrIds);
  }

  /** Returns the source and locks its row until the transaction ends. @throws Problem 404 */
  async getLocked(tx: EntityManager, tenantId: string, id: string): Promise<GitSource> {
    await this.getVisible(tx, tenantId, id);
    const lock = { mode: 'pessimistic_write' as const };
    const source = await tx.getRepository(GitSource).findOne({ where: { tenantId, id }, lock });
    if (!source) throw notFound();
    return source;
  }

  /** Returns the existing sources among these IDs. Locks them against deletion until the transaction ends. */
  async lockForUse(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, GitSource>> {
    const validIds = [...new Set(ids.filter(isId))].sort();
    if (validIds.length === 0) return new Map();
    await rows(
      tx,
      sql`select from git_sources where tenant_id = ${tenantId} and id = any (${validIds}) order by id for key share`,
    );
    const sources = await tx
      .getRepository(GitSource)
      .createQueryBuilder('source')
      .where('source.tenantId = :tenantId and source.id = any (:asked)', { tenantId, asked: validIds })
      .getMany();
    return new Map(sources.map((source) => [source.id, source]));
  }

  /**
   * Resolves a ref as of the latest sync: full commit ID, full ref name (`refs/tags/v1`), branch or tag.
   * @param ref null: the branch of the source
   * @returns null if the ref does not exist
   */
  async findCommit(tx: EntityManager, source: GitSource, ref: string | null): Promise<string | null> {
    if (ref === null) return source.commit;
    if (isCommitId(ref)) return ref;
    const names = ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
    const first = await row(
      tx,
      sql<{ commit: string }>`select name, commit from git_source_refs
        where tenant_id = ${source.tenantId} and git_source_id = ${source.id} and name = any (${names})
        order by name limit 2`,
    );
    return first?.commit ?? null;
  }
}
