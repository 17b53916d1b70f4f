import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { EnvironmentReader } from '../../../environments/environment.reader.js';
import { mayRun } from '../../../environments/grant-policy.js';
import { type Author, OUTSIDE_AUTHOR_KINDS } from './author-kinds.js';

export async function findOutsideAuthors(
  tx: EntityManager,
  environments: EnvironmentReader,
  tenantId: string,
  environmentId: string,
  authors: readonly Author[],
): Promise<Set<Author>> {
  const contentAuthors = authors.filter(({ userId, kind }) => userId !== null && OUTSIDE_AUTHOR_KINDS.includes(kind));
  if (contentAuthors.length === 0) return new Set();
  const ids = [...new Set(contentAuthors.flatMap(({ userId }) => userId ?? []))];
  const rights = await environments.readRights(tx, tenantId, environmentId, ids);
  return new Set(
    contentAuthors.filter(({ userId }) => {
      const own = rights?.of(userId ?? '') ?? null;
      return own === null || !mayRun(own);
    }),
  );
}

/** Returns the SHA-256 of the authors and their content. A person who starts a run with it confirms that content. */
export const hashAuthors = (authors: readonly Author[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify(
        authors
          .map(({ userId, kind, name, revision, detail }) => [userId, kind, name, revision, detail ?? null])
          .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
      ),
    )
    .digest('hex');
