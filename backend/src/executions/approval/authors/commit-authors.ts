import type { EntityManager } from 'typeorm';
import type { PathCommitsFault, PathCommits } from '../../../git-sources/mirror/path-commits.js';
import { membersByEmail } from '../../../tenancy/directory/member.reader.js';
import type { Author } from './author-kinds.js';
import type { FrozenGitPath } from './baseline.js';

/** Files that a run uses from one git source at one commit, and the commit of the same files in the baseline. */
export interface CommitRange {
  gitSourceId: string;
  sourceName: string;
  commit: string;
  /** Null = the baseline used none of these files. */
  since: string | null;
  paths: string[];
}

export type UsedGitFile = FrozenGitPath & { sourceName: string };

export const toCommitRangeKey = ({ gitSourceId, commit, since, paths }: CommitRange): string =>
  JSON.stringify([gitSourceId, commit, since, paths]);

/** Returns the commits to read from git sources: those of files whose commit differs from the baseline. */
export function listCommitRanges(used: readonly UsedGitFile[], before: readonly FrozenGitPath[]): CommitRange[] {
  const ranges = new Map<string, CommitRange>();
  for (const { gitSourceId, sourceName, path, commit } of used) {
    const earlier = before.filter((file) => file.gitSourceId === gitSourceId && file.path === path);
    if (earlier.some((file) => file.commit === commit)) continue;
    const since = earlier[0]?.commit ?? null;
    const key = JSON.stringify([gitSourceId, commit, since]);
    const range = ranges.get(key) ?? { gitSourceId, sourceName, commit, since, paths: [] };
    if (!range.paths.includes(path)) range.paths.push(path);
    ranges.set(key, range);
  }
  return [...ranges.values()].map((range) => ({ ...range, paths: range.paths.sort() }));
}

const COMMITS_FAULT_TEXTS: Record<PathCommitsFault, string> = {
  more: 'more commits than are read',
  rewritten: 'the history does not contain the commit that ran before',
  timed_out: 'the commits could not be read in time',
  unavailable: 'the commits could not be read',
};

/** Returns authors and committers of the commits, each with the latest commit. Finds members by e-mail address. */
export async function findCommitAuthors(
  tx: EntityManager,
  tenantId: string,
  read: readonly { range: CommitRange; found: PathCommits }[],
): Promise<Author[]> {
  const emails = read.flatMap(({ found }) => found.commits.flatMap(({ people }) => people.map(({ email }) => email)));
  const members = await membersByEmail(tx, tenantId, [...new Set(emails)]);
  const authors = new Map<string, Author>();
  for (const { range, found } of read) {
    const of = { kind: 'git_commit', name: range.sourceName, revision: null } as const;
    for (const { commit, people } of found.commits)
      for (const { name, email } of people) {
        const userId = members.get(email.toLowerCase()) ?? null;
        const key = `${range.gitSourceId} ${userId ?? email.toLowerCase()}`;
        if (authors.has(key)) continue;
        authors.set(key, {
          ...{ userId, ...of, detail: commit.slice(0, 12) },
          ...(userId === null ? { authorName: `${name} <${email}>` } : {}),
        });
      }
    if (found.fault === null) continue;
    const text = COMMITS_FAULT_TEXTS[found.fault];
    authors.set(`${range.gitSourceId} ${found.fault}`, {
      ...{ userId: null, ...of, detail: range.commit.slice(0, 12), authorName: `Unknown: ${text}` },
    });
  }
  return [...authors.values()];
}
