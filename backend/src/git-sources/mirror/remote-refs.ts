import { isCommitId, isRefName } from '../urls/git-names.js';
import { GitError } from './git-error.js';
import type { GitLimits } from './git-settings.js';
import type { Remote } from './remote.js';

export interface RemoteRefs {
  head: string | null;
  /** Refs `refs/heads/…` and `refs/tags/…`. For annotated tags, the tag object differs from the commit. */
  refs: Map<string, { commit: string; object: string }>;
  leftOut: number;
}

export const toLsRemoteArguments = (remote: Remote): string[] => [
  ...remote.options,
  'ls-remote',
  '--quiet',
  '--symref',
  '--',
  remote.url.text,
  'HEAD',
  'refs/heads/*',
  'refs/tags/*',
];

/** @throws GitError */
export function parseRemoteRefs(output: Buffer, { refs: limit }: GitLimits): RemoteRefs {
  const refs: RemoteRefs['refs'] = new Map();
  const leftOut = new Set<string>();
  let head: string | null = null;
  for (const line of output.toString('utf8').split('\n')) {
    const [, headBranchName] = /^ref: refs\/heads\/([^\t]+)\tHEAD$/.exec(line) ?? [];
    if (headBranchName !== undefined && isRefName(headBranchName)) head = headBranchName;
    const [, object = '', name = '', peeledSuffix] =
      /^([0-9a-f]+)\t(refs\/(?:heads|tags)\/.+?)(\^\{\})?$/.exec(line) ?? [];
    if (!isCommitId(object)) continue;
    if (!isRefName(name.replace(/^refs\/(?:heads|tags)\//, ''))) {
      leftOut.add(name);
      continue;
    }
    const known = refs.get(name);
    if (known && peeledSuffix) known.commit = object;
    else if (!known) refs.set(name, { commit: object, object });
    if (refs.size > limit)
      throw new GitError(
        'too_many_refs',
        `The repository has more than ${limit} branches and tags, which is the limit.`,
      );
  }
  return { head, refs, leftOut: leftOut.size };
}
