import { ApiProperty } from '@nestjs/swagger';
import { ENTRY_TYPES } from './mirror/mirror-reader.js';
import type { GitErrorCode } from './mirror/git-error.js';
import type { PlanFoldersView } from './records/plan-folders.js';
import { GIT_SOURCE_STATES, type GitSource, type GitSourceState } from './records/git-source.entity.js';
import { UserReference } from '../common/http/user-reference.view.js';
import { Reason, toReason } from '../common/http/reason.view.js';

export class GitCredentialView {
  /** SSH key; null = a token is used. */
  @ApiProperty({ type: String, nullable: true })
  sshKeyId: string | null;
  /** Name of the SSH key; null = a token is used. */
  @ApiProperty({ type: String, nullable: true })
  sshKeyName: string | null;
  /** User name of the token; null = an SSH key is used. The token itself is never shown. */
  @ApiProperty({ type: String, nullable: true })
  user: string | null;
}

export class GitHostKeyView {
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
  /** Null = the remote has not shown the key yet. */
  @ApiProperty({ type: String, nullable: true, example: 'ssh-ed25519' })
  type: string | null;
}

export class GitWebhookView {
  /** Path that the forge calls, below the address of this installation. */
  path: string;
  /** True when a secret is set. Without one, every call is refused. */
  configured: boolean;
}

export class GitPlanFolderView {
  /** Path from the root of the repository; empty = the root. */
  path: string;
  collectionId: string;
  /** Member whose rights its plans are saved with; null = the member was removed, and plans are no longer saved. */
  @ApiProperty({ type: UserReference, nullable: true })
  setUpBy: UserReference | null;
}

/** Numbers of files and plans in the last plan sync. */
export class GitPlanSyncView {
  id: string;
  commit: string;
  /** Time at which Runward applied the commit, in UTC. */
  at: string;
  /** Why the commit could not be read; null = it was read. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Number of new plans. */
  created: number;
  /** Number of plans with a new revision. */
  changed: number;
  /** Number of plans that already match their files. */
  unchanged: number;
  /** Number of deleted plans, whose files no longer exist. */
  removed: number;
  /** Plans whose file was deleted, but that cannot be deleted yet. */
  kept: number;
  /** Number of files that are not valid plans. */
  invalid: number;
  /** Files beyond the limits, which were not read. */
  leftOut: number;
}

export class GitSourceView {
  id: string;
  /** @example "plans" */
  name: string;
  description: string;
  /** @example "https://git.example.com/team/plans.git" */
  url: string;
  /** Branch; null = the default branch of the remote (`headBranch`). */
  @ApiProperty({ type: String, nullable: true })
  branch: string | null;
  /** Default branch of the remote at the latest sync. */
  @ApiProperty({ type: String, nullable: true })
  headBranch: string | null;
  /** Null = no credential. */
  @ApiProperty({ type: GitCredentialView, nullable: true })
  credential: GitCredentialView | null;
  /** Accepted host key of an ssh remote; null = none. */
  @ApiProperty({ type: GitHostKeyView, nullable: true })
  hostKey: GitHostKeyView | null;
  /** Host key that the remote showed when none or a different one was accepted. */
  @ApiProperty({ type: GitHostKeyView, nullable: true })
  seenHostKey: GitHostKeyView | null;
  /** `new`: never synced; `ready`; `failed`, see `reason`; `host_key_unknown`, `host_key_changed`: see `seenHostKey`. */
  @ApiProperty({ enum: GIT_SOURCE_STATES })
  state: GitSourceState;
  /** Current commit, kept while later syncs fail; null = never synced. */
  @ApiProperty({ type: String, nullable: true, example: '0b9c2625dc21ef05f6ad4ddf47c5f203837aa32c' })
  commit: string | null;
  /** Time of the last successful sync. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  syncedAt: string | null;
  /** End of the latest sync, successful or not. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  syncFinishedAt: string | null;
  /** Why the latest sync failed, without credentials; null = it succeeded. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** A sync is running. */
  syncing: boolean;
  /** Time of a requested sync that has not ended; null = none. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  syncRequestedAt: string | null;
  @ApiProperty({ type: Number, nullable: true })
  syncEverySeconds: number | null;
  /** Time of the next periodic sync, in UTC; null = no periodic syncs. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  nextSyncAt: string | null;
  /** Number of files in the current commit. */
  @ApiProperty({ type: Number, nullable: true })
  files: number | null;
  /** Size of the mirror at the latest sync, in bytes. */
  @ApiProperty({ type: Number, nullable: true })
  bytes: number | null;
  /** Number of branches and tags that are not followed because their names contain unsupported characters. */
  leftOutRefs: number;
  /** Address that the Git forge calls after a push. */
  webhook: GitWebhookView;
  /** Folders whose files become plans. */
  @ApiProperty({ type: [GitPlanFolderView] })
  planFolders: GitPlanFolderView[];
  /** Result of the last plan sync; null = none yet. */
  @ApiProperty({ type: GitPlanSyncView, nullable: true })
  planSync: GitPlanSyncView | null;
  /** A worker has not yet updated the plans from the latest sync. */
  planSyncPending: boolean;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class GitSourceListView {
  items: GitSourceView[];
  nextCursor: string | null;
}

export class GitTreeEntryView {
  /** Last part of the path. */
  name: string;
  /** Path from the root of the repository. */
  path: string;
  /** Only entries of the types `file` and `executable` can be read. */
  @ApiProperty({ enum: ENTRY_TYPES })
  type: (typeof ENTRY_TYPES)[number];
  /** Size of a file, in bytes. */
  @ApiProperty({ type: Number, nullable: true })
  size: number | null;
}

export class GitTreeView {
  commit: string;
  path: string;
  items: GitTreeEntryView[];
  /** Number of entries that are not listed because their names contain control characters or are not UTF-8. */
  leftOut: number;
  nextCursor: string | null;
}

export class GitFileView {
  commit: string;
  path: string;
  /** Size of the file, in bytes. */
  size: number;
  /** True = the file has the executable bit in Git. */
  executable: boolean;
  /** SHA-256 of the content. */
  sha256: string;
  /** `utf-8`: `content` is the text. `base64`: the file is not UTF-8 text, or contains NUL. */
  @ApiProperty({ enum: ['utf-8', 'base64'] })
  encoding: 'utf-8' | 'base64';
  /** Content of the file in the format `encoding`. */
  content: string;
}

export class GitCommitView {
  /** @example "0b9c2625dc21ef05f6ad4ddf47c5f203837aa32c" */
  commit: string;
  /** Name of the author, as written in the commit. Git does not verify it. */
  authorName: string;
  /** Email address of the author, as written in the commit. Git does not verify it. */
  authorEmail: string;
  /** Time at which the author wrote the change, as written in the commit. */
  authoredAt: string;
  /** Time at which the commit was created, as written in the commit. */
  committedAt: string;
  /** First line of the commit message. */
  subject: string;
}

export class GitCommitListView {
  items: GitCommitView[];
  nextCursor: string | null;
}

export class ReceivedGitCallView {
  /** True when the call requested a sync. Calls that report no push request none. */
  syncs: boolean;
}

/** @param keyName name of the source's SSH key */
export function toGitSourceView(
  source: GitSource,
  keyName: string | null,
  plans: PlanFoldersView | undefined,
  now = new Date(),
): GitSourceView {
  const { sshKeyId, tokenUser, hostKeyFingerprint, hostKey, seenHostKey } = source;
  const at = (time: Date | null) => time?.toISOString() ?? null;
  return {
    id: source.id,
    name: source.name,
    description: source.description,
    url: source.url,
    branch: source.branch,
    headBranch: source.headBranch,
    credential: sshKeyId === null && tokenUser === null ? null : { sshKeyId, sshKeyName: keyName, user: tokenUser },
    hostKey: hostKeyFingerprint === null ? null : { fingerprint: hostKeyFingerprint, type: hostKey?.type ?? null },
    seenHostKey: seenHostKey && { fingerprint: seenHostKey.fingerprint, type: seenHostKey.type },
    state: source.state,
    commit: source.commit,
    syncedAt: at(source.syncedAt),
    syncFinishedAt: at(source.triedAt),
    reason: toReason(source.errorCode as GitErrorCode | null, source.error),
    syncing: source.leaseUntil !== null && source.leaseUntil > now,
    syncRequestedAt: at(source.requestedAt),
    syncEverySeconds: source.syncEverySeconds,
    nextSyncAt: at(source.dueAt),
    files: source.files,
    bytes: source.bytes === null ? null : Number(source.bytes),
    leftOutRefs: source.leftOutRefs,
    webhook: { path: `/api/git-sources/${source.id}/webhook`, configured: source.webhookVersion > 0 },
    planFolders: plans?.folders ?? [],
    planSync: plans?.sync ?? null,
    planSyncPending: plans?.pending ?? false,
    createdAt: source.createdAt.toISOString(),
    updatedAt: source.updatedAt.toISOString(),
    version: source.version,
  };
}
