import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Matches, Max, Min } from 'class-validator';
import {
  PartialUpdateOf,
  MultilineText,
  OptionalTextLine,
  IsOptionalField,
  IsNullableField,
  NestedObject,
  NestedObjectList,
  QueryText,
  RecordId,
  RequiredTextLine,
} from '../common/http/fields.js';
import { HostKeyRequest } from '../common/http/host-key.dto.js';
import { NamedListQuery, PageQuery } from '../common/http/paging/page.dto.js';
import { MAX_PATH_LENGTH, MAX_REF_LENGTH } from './urls/git-names.js';
import { MAX_URL_LENGTH } from './urls/git-url.js';

export class GitCredentialRequest {
  /** For ssh: SSH key that the remote has as a deploy key. */
  @IsOptionalField()
  @RecordId()
  sshKeyId?: string;

  /**
   * For https: access token. It is never shown again.
   * @example "a-token-that-may-read"
   */
  @IsOptionalField()
  @Matches(/^[\x21-\x7e]{8,4096}$/, { message: 'token must have 8 to 4096 visible characters' })
  token?: string;

  /**
   * User name of the token; default `x-access-token`, which GitHub, GitLab and Gitea accept with any token.
   * @example "x-access-token"
   */
  @IsOptionalField()
  @Matches(/^[\x21-\x39\x3b-\x7e]{1,100}$/, { message: 'user must have 1 to 100 visible characters, and no colon' })
  user?: string;

  /** Ignored: the record has the field. */
  @IsOptionalField()
  @OptionalTextLine(100)
  sshKeyName?: string;
}

/** Folders of a source whose files become plans. */
export const MAX_PLAN_FOLDERS = 10;

export class GitPlanFolderRequest {
  /**
   * Path from the root of the repository; empty = the root.
   * @example "plans"
   */
  @OptionalTextLine(MAX_PATH_LENGTH)
  path: string;

  /** Collection for its plans. */
  @RecordId()
  collectionId: string;
}

export class CreateGitSourceRequest {
  /** @example "plans" */
  @RequiredTextLine(100)
  name: string;

  @IsOptionalField()
  @MultilineText(2000)
  description?: string;

  /**
   * `https://…`, `ssh://…` or `user@host:path`, without a user in https addresses and without a password.
   * @example "https://git.example.com/team/plans.git"
   */
  @RequiredTextLine(MAX_URL_LENGTH)
  url: string;

  /** Branch; absent or null = the default branch of the remote (HEAD). */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'main' })
  @IsNullableField()
  @RequiredTextLine(MAX_REF_LENGTH)
  branch?: string | null;

  /** Credential; null = none. */
  @ApiProperty({ type: GitCredentialRequest, nullable: true, required: false })
  @IsNullableField()
  @NestedObject(() => GitCredentialRequest)
  credential?: GitCredentialRequest | null;

  /** For ssh: accepted host key of the remote. Null = none; the next sync reports the key that the remote shows. */
  @ApiProperty({ type: HostKeyRequest, nullable: true, required: false })
  @IsNullableField()
  @NestedObject(() => HostKeyRequest)
  hostKey?: HostKeyRequest | null;

  /** Time between syncs, in seconds; absent or null = sync only on request or by webhook. */
  @ApiProperty({ type: Number, nullable: true, required: false, minimum: 60, maximum: 604_800, example: 300 })
  @IsNullableField()
  @IsInt({ message: 'syncEverySeconds must be a whole number from 60 to 604800' })
  @Min(60, { message: 'syncEverySeconds must be a whole number from 60 to 604800' })
  @Max(604_800, { message: 'syncEverySeconds must be a whole number from 60 to 604800' })
  syncEverySeconds?: number | null;

  /** Secret with which the forge signs its calls; never shown again. Null = calls are refused. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'a-secret-that-the-forge-knows' })
  @IsNullableField()
  @Matches(/^[\x21-\x7e]{16,200}$/, { message: 'webhookSecret must have 16 to 200 visible characters' })
  webhookSecret?: string | null;

  /**
   * Folders whose YAML files become plans, with the rights of the member who sends this list. Plans of a removed
   * folder become ordinary plans.
   */
  @IsOptionalField()
  @NestedObjectList(() => GitPlanFolderRequest, MAX_PLAN_FOLDERS)
  planFolders?: GitPlanFolderRequest[];
}

export class UpdateGitSourceRequest extends PartialUpdateOf(CreateGitSourceRequest) {}

export class ListGitSourcesQuery extends NamedListQuery {}

export class GitFileQuery {
  /** Path from the root of the repository. */
  @RequiredTextLine(MAX_PATH_LENGTH)
  path: string;

  /** Branch, tag or full commit ID; absent = the branch of the source. */
  @QueryText(MAX_REF_LENGTH)
  ref?: string;
}

export class GitTreeQuery extends PageQuery {
  /** Path of a folder from the root of the repository; absent or empty = the root. */
  @QueryText(MAX_PATH_LENGTH)
  path?: string;

  /** Branch, tag or full commit ID; absent = the branch of the source. */
  @QueryText(MAX_REF_LENGTH)
  ref?: string;
}

export class GitCommitsQuery extends PageQuery {
  /** Only commits that change this path. */
  @QueryText(MAX_PATH_LENGTH)
  path?: string;

  /** Branch, tag or full commit ID; absent = the branch of the source. */
  @QueryText(MAX_REF_LENGTH)
  ref?: string;
}
