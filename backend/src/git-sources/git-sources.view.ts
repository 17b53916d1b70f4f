import { ApiProperty } from '@nestjs/swagger';
import { ENTRY_TYPES } from './mirror/mirror-reader.js';
import { GIT_ERROR_CODES, type GitErrorCode } from './mirror/git-error.js';
import type { ShownPlanFolders } from './records/plan-folders.js';
import { GIT_SOURCE_STATES, type GitSource, type GitSourceState } from './records/git-source.entity.js';

export class GitCredentialView {
  /** Null: it signs in with a token. */
  @ApiProperty({ type: String, nullable: true })
  sshKeyId: string | null;
  @ApiProperty({ type: String, nullable: true })
  sshKeyName: string | null;
  /** Whom the token signs in as; null: it signs in with a key. The token itself is never shown. */
  @ApiProperty({ type: String, nullable: true })
  user: string | null;
}

export class GitHostKeyView {
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
  /** Null: the remote has not shown the key yet. */
  @ApiProperty({ type: String, nullable: true, example: 'ssh-ed25519' })
  type: string | null;
}

export class GitWebhookView {
  /** Where the forge calls, below the address of this installation. */
  path: string;
  /** Whether there is a secret; without one every call is refused. */
  configured: boolean;
}

export class GitPlanFolderView {
  /** From the top of the repository; empty: the top itself. */
  path: string;
  collectionId: string;
  /** The member whose rights its plans are saved with; null: that member is gone, and nothing is saved any more. */
  @ApiProperty({ type: String, nullable: true })
  setUpBy: string | null;
  setUpByName: string;
}

/** How many files and plans the latest commit led to. */
export class GitPlanSyncView {
  id: string;
  commit: string;
  at: string;
  /** Why nothing could be read; null: it was. */
  @ApiProperty({ type: String, nullable: true })
  error: string | null;
  created: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** Plans whose file is gone, and that can't be deleted yet. */
  kept: number;
  invalid: number;
  /** Files beyond the bounds, which were not looked at. */
  leftOut: number;
}

export class GitSourceView {
  id: string;
  /** @example "plans" */
  name: string;
  description: string;
  /** @example "https://git.example.com/team/plans.git" */
  url: string;
  /** Null: the one that the remote calls its own, `headBranch`. */
  @ApiProperty({ type: String, nullable: true })
  branch: string | null;
  /** What the remote called its own branch at the latest sync. */
  @ApiProperty({ type: String, nullable: true })
  headBranch: string | null;
  /** Null: it signs in with nothing. */
  @ApiProperty({ type: GitCredentialView, nullable: true })
  credential: GitCredentialView | null;
  /** The host key of an ssh remote that is accepted; null: none. */
  @ApiProperty({ type: GitHostKeyView, nullable: true })
  hostKey: GitHostKeyView | null;
  /** What the remote showed when no key, or another one, was accepted. */
  @ApiProperty({ type: GitHostKeyView, nullable: true })
  seenHostKey: GitHostKeyView | null;
  /** `new`: never synced; `ready`; `failed`, see `error`; `host_key_unknown`, `host_key_changed`: see `seenHostKey`. */
  @ApiProperty({ enum: GIT_SOURCE_STATES })
  state: GitSourceState;
  /** The commit that is current; kept while later syncs fail. Null: never synced. */
  @ApiProperty({ type: String, nullable: true, example: '0b9c2625dc21ef05f6ad4ddf47c5f203837aa32c' })
  commit: string | null;
  /** When it was last found to be current. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  syncedAt: string | null;
  /** When the latest sync ended, however it did. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  triedAt: string | null;
  @ApiProperty({ enum: GIT_ERROR_CODES, nullable: true })
  errorCode: GitErrorCode | null;
  /** Why the latest sync failed, in the words of git, without credentials. */
  @ApiProperty({ type: String, nullable: true })
  error: string | null;
  /** A worker syncs it at this moment. */
  syncing: boolean;
  /** A sync was asked for that has not ended. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  syncRequestedAt: string | null;
  @ApiProperty({ type: Number, nullable: true })
  syncEverySeconds: number | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  nextSyncAt: string | null;
  /** Files of the current commit. */
  @ApiProperty({ type: Number, nullable: true })
  files: number | null;
  /** Size of the mirror at the latest sync. */
  @ApiProperty({ type: Number, nullable: true })
  bytes: number | null;
  /** Branches and tags that are not followed, because their names hold what nobody can write. */
  leftOutRefs: number;
  webhook: GitWebhookView;
  /** Folders whose files become plans. */
  @ApiProperty({ type: [GitPlanFolderView] })
  planFolders: GitPlanFolderView[];
  /** What became of them last; null: nothing yet. */
  @ApiProperty({ type: GitPlanSyncView, nullable: true })
  planSync: GitPlanSyncView | null;
  /** A worker has still to make plans of what was found last. */
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
  name: string;
  /** From the top of the repository. */
  path: string;
  @ApiProperty({ enum: ENTRY_TYPES })
  type: (typeof ENTRY_TYPES)[number];
  /** Bytes of a file. */
  @ApiProperty({ type: Number, nullable: true })
  size: number | null;
}

export class GitTreeView {
  commit: string;
  path: string;
  items: GitTreeEntryView[];
  /** Entries whose names hold control characters or are no text. They can't be named, so they are not listed. */
  leftOut: number;
  nextCursor: string | null;
}

export class GitFileView {
  commit: string;
  path: string;
  size: number;
  executable: boolean;
  /** Of the content. */
  sha256: string;
  /** `utf-8`: `content` is the text; `base64`: the file is no text, or holds NUL. */
  @ApiProperty({ enum: ['utf-8', 'base64'] })
  encoding: 'utf-8' | 'base64';
  content: string;
}

export class GitCommitView {
  /** @example "0b9c2625dc21ef05f6ad4ddf47c5f203837aa32c" */
  commit: string;
  authorName: string;
  authorEmail: string;
  authoredAt: string;
  committedAt: string;
  /** The first line of what its author wrote. */
  subject: string;
}

export class GitCommitListView {
  items: GitCommitView[];
  nextCursor: string | null;
}

export class ReceivedGitCallView {
  /** Whether a sync was begun: what tells no push begins none. */
  syncs: boolean;
}

/** @param keyName of its SSH key */
export function toGitSourceView(
  source: GitSource,
  keyName: string | null,
  plans: ShownPlanFolders | undefined,
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
    triedAt: at(source.triedAt),
    errorCode: source.errorCode as GitErrorCode | null,
    error: source.error,
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
