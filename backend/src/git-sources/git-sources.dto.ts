import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Matches, Max, Min } from 'class-validator';
import {
  ChangeOf,
  FreeText,
  Line,
  Maybe,
  MaybeNull,
  Nested,
  NestedList,
  QueryText,
  RecordId,
  Text,
} from '../common/http/fields.js';
import { NamedListQuery, PageQuery } from '../common/http/paging/page.dto.js';
import { MOST_PATH, MOST_REF } from './urls/git-names.js';
import { MOST_URL } from './urls/git-url.js';

export class GitCredentialRequest {
  /** For ssh: the key that the remote knows as a deploy key. */
  @Maybe()
  @RecordId()
  sshKeyId?: string;

  /**
   * For https: an access token. It is never shown again.
   * @example "a-token-that-may-read"
   */
  @Maybe()
  @Matches(/^[\x21-\x7e]{8,4096}$/, { message: 'token must have 8 to 4096 visible characters' })
  token?: string;

  /**
   * Whom the token signs in as; `x-access-token` unless given, which GitHub, GitLab and Gitea take with any token.
   * @example "x-access-token"
   */
  @Maybe()
  @Matches(/^[\x21-\x39\x3b-\x7e]{1,100}$/, { message: 'user must have 1 to 100 visible characters, and no colon' })
  user?: string;
}

export class GitHostKeyRequest {
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  @Matches(/^SHA256:[A-Za-z0-9+/]{43}$/, { message: 'fingerprint must be one as ssh-keygen -l prints it: SHA256:…' })
  fingerprint: string;
}

/** Folders of a source whose files become plans. */
export const MOST_PLAN_FOLDERS = 10;

export class GitPlanFolderRequest {
  /**
   * From the top of the repository; empty: the top itself.
   * @example "plans"
   */
  @Line(MOST_PATH)
  path: string;

  /** Where its plans lie. */
  @RecordId()
  collectionId: string;
}

export class CreateGitSourceRequest {
  /** @example "plans" */
  @Text(100)
  name: string;

  @Maybe()
  @FreeText(2000)
  description?: string;

  /**
   * `https://…`, `ssh://…` or `user@host:path`; nothing else. Without user and password.
   * @example "https://git.example.com/team/plans.git"
   */
  @Text(MOST_URL)
  url: string;

  /** Absent or null: the one that the remote calls its own (HEAD). */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'main' })
  @MaybeNull()
  @Text(MOST_REF)
  branch?: string | null;

  /** How to sign in. Null: not at all. */
  @ApiProperty({ type: GitCredentialRequest, nullable: true, required: false })
  @MaybeNull()
  @Nested(() => GitCredentialRequest)
  credential?: GitCredentialRequest | null;

  /** For ssh: the host key of the remote that is accepted. Null: none; the next sync tells which one it shows. */
  @ApiProperty({ type: GitHostKeyRequest, nullable: true, required: false })
  @MaybeNull()
  @Nested(() => GitHostKeyRequest)
  hostKey?: GitHostKeyRequest | null;

  /** Absent or null: only when somebody asks, or a webhook tells. */
  @ApiProperty({ type: Number, nullable: true, required: false, minimum: 60, maximum: 604_800, example: 300 })
  @MaybeNull()
  @IsInt({ message: 'syncEverySeconds must be a whole number from 60 to 604800' })
  @Min(60, { message: 'syncEverySeconds must be a whole number from 60 to 604800' })
  @Max(604_800, { message: 'syncEverySeconds must be a whole number from 60 to 604800' })
  syncEverySeconds?: number | null;

  /** What the forge signs its calls with; never shown again. Null: calls are refused. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'a-secret-that-the-forge-knows' })
  @MaybeNull()
  @Matches(/^[\x21-\x7e]{16,200}$/, { message: 'webhookSecret must have 16 to 200 visible characters' })
  webhookSecret?: string | null;

  /**
   * Folders whose YAML files become plans, with the rights of whoever sends this list. Plans of a folder that is left out
   * become ordinary ones.
   */
  @Maybe()
  @NestedList(() => GitPlanFolderRequest, MOST_PLAN_FOLDERS)
  planFolders?: GitPlanFolderRequest[];
}

export class UpdateGitSourceRequest extends ChangeOf(CreateGitSourceRequest) {}

export class ListGitSourcesQuery extends NamedListQuery {}

export class GitFileQuery {
  /** Path from the top of the repository. */
  @Text(MOST_PATH)
  path: string;

  /** A branch, a tag, or the whole id of a commit; absent: the branch of the source. */
  @QueryText(MOST_REF)
  ref?: string;
}

export class GitTreeQuery extends PageQuery {
  /** Path of a folder from the top of the repository; absent or empty: the top. */
  @QueryText(MOST_PATH)
  path?: string;

  /** A branch, a tag, or the whole id of a commit; absent: the branch of the source. */
  @QueryText(MOST_REF)
  ref?: string;
}

export class GitCommitsQuery extends PageQuery {
  /** Only those that change what stands at this path. */
  @QueryText(MOST_PATH)
  path?: string;

  /** A branch, a tag, or the whole id of a commit; absent: the branch of the source. */
  @QueryText(MOST_REF)
  ref?: string;
}
