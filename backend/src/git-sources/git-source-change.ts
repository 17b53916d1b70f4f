import { Injectable } from '@nestjs/common';
import type { HostKeyRequest } from '../common/http/host-key.dto.js';
import { parseRequestedHostKey } from '../transport/keys/requested-host-key.js';
import type { CreateGitSourceRequest, GitCredentialRequest, UpdateGitSourceRequest } from './git-sources.dto.js';
import { GitSource } from './records/git-source.entity.js';
import { GitSourceVault, getGitUrl } from './records/git-source-vault.js';
import { requireValidSource } from './requested-source.js';
import { isSameServer } from './urls/git-url.js';

/** Default user name for a token. GitHub, GitLab and Gitea ignore the user name. */
const DEFAULT_TOKEN_USER = 'x-access-token';

type GitSourceColumns = Omit<Partial<GitSource>, 'epoch' | 'dueAt'> & {
  epoch?: () => string;
  dueAt?: Date | null | (() => string);
};
type CredentialColumns = Pick<GitSourceColumns, 'sshKeyId' | 'tokenUser' | 'tokenVersion' | 'sealedToken'>;
type HostKeyColumns = Pick<GitSourceColumns, 'hostKeyFingerprint' | 'hostKey'>;

/** Reset, because results of syncs with the previous address do not apply to the new address. */
const UNSYNCED_COLUMNS = {
  state: 'new',
  headBranch: null,
  commit: null,
  syncedAt: null,
  files: null,
  bytes: null,
  leftOutRefs: 0,
  errorCode: null,
  error: null,
  seenHostKey: null,
} as const;

/** Whether the request repeats the credential as the record has it, without the token. */
const isSameCredential = (
  { sshKeyId, tokenUser }: Pick<GitSource, 'sshKeyId' | 'tokenUser'>,
  credential: GitCredentialRequest | null | undefined,
): boolean =>
  !!credential &&
  credential.token === undefined &&
  (credential.sshKeyId ?? null) === sshKeyId &&
  (credential.user ?? null) === tokenUser;

@Injectable()
export class GitSourceChange {
  constructor(private readonly vault: GitSourceVault) {}

  getInitialColumns(tenantId: string, id: string, request: CreateGitSourceRequest) {
    const none = { tenantId, id, tokenVersion: 0, webhookVersion: 0, seenHostKey: null };
    return {
      ...{ branch: request.branch ?? null, syncEverySeconds: request.syncEverySeconds ?? null },
      ...UNSYNCED_COLUMNS,
      ...{ triedAt: null, requestedAt: null, dueAt: null, epoch: 0, leaseUntil: null },
      ...this.toCredentialColumns(none, request.credential ?? null),
      ...this.toHostKeyColumns(none, request.hostKey ?? null),
      ...this.toWebhookColumns(none, request.webhookSecret ?? null),
    };
  }

  /**
   * @returns `needsSync`: whether a value that a sync depends on changes
   * @throws Problem 400 if credential or host key does not fit the address
   */
  getChangedColumns(
    source: GitSource,
    request: UpdateGitSourceRequest,
  ): { columns: GitSourceColumns; needsSync: boolean } {
    const { name, description, url: text, branch, syncEverySeconds, webhookSecret } = request;
    const repeatsCredential = isSameCredential(source, request.credential);
    const repeatsHostKey =
      !!request.hostKey && parseRequestedHostKey(request.hostKey, '/hostKey').fingerprint === source.hostKeyFingerprint;
    const before = getGitUrl(source);
    const url = requireValidSource({
      url: text ?? source.url,
      branch,
      credential: repeatsCredential ? undefined : request.credential,
      hostKey: repeatsHostKey ? undefined : request.hostKey,
    });
    const hasNewUrl = url.text !== source.url;
    const isOtherServer = !isSameServer(url, before);
    const credential = repeatsCredential && !isOtherServer ? undefined : request.credential;
    const hostKey = repeatsHostKey && !isOtherServer ? undefined : request.hostKey;
    const hasNewBranch = branch !== undefined && branch !== source.branch;
    const reauthenticates = credential !== undefined || hostKey !== undefined;
    const needsSync = hasNewUrl || hasNewBranch || reauthenticates;
    const columns: GitSourceColumns = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(hasNewUrl ? { url: url.text, ...UNSYNCED_COLUMNS } : {}),
      ...(hasNewBranch ? { branch } : {}),
      ...(credential !== undefined || isOtherServer ? this.toCredentialColumns(source, credential ?? null) : {}),
      ...(hostKey !== undefined || isOtherServer ? this.toHostKeyColumns(source, hostKey ?? null) : {}),
      ...(webhookSecret === undefined ? {} : this.toWebhookColumns(source, webhookSecret)),
      ...(syncEverySeconds === undefined || syncEverySeconds === source.syncEverySeconds
        ? {}
        : { syncEverySeconds, dueAt: syncEverySeconds === null ? null : () => 'now()' }),
      // A running sync uses the previous values, so the new epoch discards its result.
      ...(needsSync ? { epoch: () => 'epoch + 1', leaseUntil: null } : {}),
    };
    return { columns, needsSync: needsSync || columns.dueAt !== undefined };
  }

  private toCredentialColumns(
    { tenantId, id, tokenVersion }: Pick<GitSource, 'tenantId' | 'id' | 'tokenVersion'>,
    credential: GitCredentialRequest | null,
  ): CredentialColumns {
    const version = tokenVersion + 1;
    const { token, sshKeyId = null, user = DEFAULT_TOKEN_USER } = credential ?? {};
    if (token === undefined) return { sshKeyId, tokenUser: null, sealedToken: null };
    const sealedToken = this.vault.sealToken(tenantId, id, version, token);
    return { sshKeyId: null, tokenUser: user, tokenVersion: version, sealedToken };
  }

  /** For a fingerprint, uses the key that the last sync saw if it matches. Otherwise the next sync adds the key. */
  private toHostKeyColumns(
    { seenHostKey }: Pick<GitSource, 'seenHostKey'>,
    requested: HostKeyRequest | null,
  ): HostKeyColumns {
    if (requested === null) return { hostKeyFingerprint: null, hostKey: null };
    const key = parseRequestedHostKey(requested, '/hostKey');
    if ('publicKey' in key) return { hostKeyFingerprint: key.fingerprint, hostKey: key };
    const seen = seenHostKey?.fingerprint === key.fingerprint ? seenHostKey : null;
    return { hostKeyFingerprint: key.fingerprint, hostKey: seen };
  }

  private toWebhookColumns(
    { tenantId, id, webhookVersion }: Pick<GitSource, 'tenantId' | 'id' | 'webhookVersion'>,
    secret: string | null,
  ): Pick<GitSourceColumns, 'sealedWebhookSecret' | 'webhookVersion'> {
    if (secret === null) return { sealedWebhookSecret: null, webhookVersion: 0 };
    const version = webhookVersion + 1;
    return {
      sealedWebhookSecret: this.vault.sealWebhookSecret(tenantId, id, version, secret),
      webhookVersion: version,
    };
  }
}
