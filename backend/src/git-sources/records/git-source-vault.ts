import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { openSealedValue, type SealContext, sealValue } from '../../common/crypto/envelope.js';
import type { SealedColumn } from '../../common/database/sealed-values.js';
import { row, sql } from '../../common/database/sql.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { KeyVault } from '../../keys/key-vault.js';
import { GitError } from '../mirror/git-error.js';
import type { RemoteAccess } from '../mirror/remote.js';
import { type GitUrl, parseGitUrl } from '../urls/git-url.js';
import type { GitSource } from './git-source.entity.js';

type SecretField = 'token' | 'webhook_secret';

const createSealContext =
  (field: SecretField) =>
  (tenantId: string, id: string, version: number): SealContext => ({
    tenant: tenantId,
    table: 'git_sources',
    record: id,
    field,
    version,
  });

export const SEALED_GIT_TOKENS: SealedColumn = {
  table: 'git_sources',
  column: 'sealed_token',
  version: 'token_version',
  context: createSealContext('token'),
};

export const SEALED_GIT_WEBHOOK_SECRETS: SealedColumn = {
  table: 'git_sources',
  column: 'sealed_webhook_secret',
  version: 'webhook_version',
  context: createSealContext('webhook_secret'),
};

/** The address was validated when it was stored. */
export function getGitUrl({ url }: Pick<GitSource, 'url'>): GitUrl {
  const parsed = parseGitUrl(url);
  if (typeof parsed === 'string') throw new GitError('failed', `The address can no longer be used: ${parsed}`);
  return parsed;
}

/** The only class that seals and opens credentials of git sources. */
@Injectable()
export class GitSourceVault {
  constructor(
    @Inject(RUNTIME) private readonly runtime: Runtime,
    private readonly keys: KeyVault,
  ) {}

  sealToken(tenantId: string, id: string, version: number, token: string): Buffer {
    return sealValue(this.runtime.masterKey, Buffer.from(token), SEALED_GIT_TOKENS.context(tenantId, id, version));
  }

  sealWebhookSecret(tenantId: string, id: string, version: number, secret: string): Buffer {
    return sealValue(
      this.runtime.masterKey,
      Buffer.from(secret),
      SEALED_GIT_WEBHOOK_SECRETS.context(tenantId, id, version),
    );
  }

  /**
   * Returns everything needed to connect to the remote. @throws GitError if the address is invalid or a credential is
   * missing
   */
  async openRemoteAccess(tx: EntityManager, source: GitSource): Promise<RemoteAccess> {
    const { tenantId, id, sshKeyId, tokenUser, tokenVersion, hostKey } = source;
    const url = getGitUrl(source);
    if (url.scheme === 'ssh') {
      if (sshKeyId === null)
        throw new GitError('login_refused', 'The source has no SSH key. Set one as its credential.');
      const key = (await this.keys.openPrivateKeys(tx, tenantId, [sshKeyId])).get(sshKeyId) ?? null;
      return { url, login: null, key, hostKey };
    }
    const sealed = tokenUser === null ? null : await this.readSealedSecret(tx, source, 'token');
    const context = SEALED_GIT_TOKENS.context(tenantId, id, tokenVersion);
    const login =
      sealed === null || tokenUser === null
        ? null
        : { user: tokenUser, token: openSealedValue(this.runtime.masterKey, sealed, context).toString() };
    return { url, login, key: null, hostKey: null };
  }

  /** Null: the source has no webhook secret. */
  async openWebhookSecret(tx: EntityManager, source: GitSource): Promise<string | null> {
    const sealed = await this.readSealedSecret(tx, source, 'webhook_secret');
    if (sealed === null) return null;
    const context = SEALED_GIT_WEBHOOK_SECRETS.context(source.tenantId, source.id, source.webhookVersion);
    return openSealedValue(this.runtime.masterKey, sealed, context).toString();
  }

  private async readSealedSecret(
    tx: EntityManager,
    { tenantId, id }: GitSource,
    secret: SecretField,
  ): Promise<Buffer | null> {
    const column = secret === 'token' ? sql`sealed_token` : sql`sealed_webhook_secret`;
    const source = await row(
      tx,
      sql<{ sealed: Buffer | null }>`select ${column} as sealed from git_sources
        where tenant_id = ${tenantId} and id = ${id}`,
    );
    return source?.sealed ?? null;
  }
}
