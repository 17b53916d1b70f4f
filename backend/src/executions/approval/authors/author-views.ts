import type { EntityManager } from 'typeorm';
import type { RunAuthorItem } from '../../../common/errors/problem.js';
import { readMemberNames } from '../../../tenancy/directory/member.reader.js';
import type { Author } from './author-kinds.js';

export async function toAuthorViews(
  tx: EntityManager,
  tenantId: string,
  authors: readonly (Author & { outside?: boolean })[],
): Promise<RunAuthorItem[]> {
  const ids = [...new Set(authors.flatMap(({ userId }) => userId ?? []))];
  const names = ids.length > 0 ? await readMemberNames(tx, tenantId, ids) : new Map<string, string>();
  return authors.map(({ userId, kind, name, revision, detail, authorName, outside = false }) => ({
    ...{ kind, name, revision, detail: detail ?? null, statedName: authorName ?? null, outside },
    user: userId === null ? null : { id: userId, name: names.get(userId) ?? 'a member who was removed' },
  }));
}

const MAX_NAMED_AUTHORS = 3;
const AUTHOR_KIND_TEXTS: Record<string, string> = {
  ...{ git_commit: 'a commit of', git_source: 'the git source' },
  ...{ host_key: 'host keys of', jump_server: 'the jump server of', ssh_key: 'the SSH key' },
};

/** Returns text such as `Ada (script "cleanup")` for at most three authors. */
export function describeAuthors(authors: readonly RunAuthorItem[]): string {
  const named = authors
    .slice(0, MAX_NAMED_AUTHORS)
    .map(
      ({ user, statedName, kind, name }) =>
        `${user?.name ?? statedName ?? ''} (${AUTHOR_KIND_TEXTS[kind] ?? kind} "${name}")`,
    );
  const more = authors.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}
