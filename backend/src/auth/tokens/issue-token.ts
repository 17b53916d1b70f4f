import type { EntityManager } from 'typeorm';
import { mintToken, readTokenPrefix } from '../../common/crypto/api-token.js';
import { newId } from '../../common/ids.js';
import { addToDirectory } from '../../tenancy/directory/auth-directory.js';
import { ApiToken } from './api-token.entity.js';
import type { StoredScope } from './requested-scope.js';

export interface NewToken {
  tenantId: string;
  userId: string;
  name: string;
  parentTokenId: string | null;
  expiresAt: Date | null;
  scope: StoredScope;
  exchanged: boolean;
  /** Members who see the secret of the token, or have seen that of the token that creates it. */
  heldBy: string[];
  /** Trust rule that issued the token, or the token that creates it; null: none. */
  trustRuleId: string | null;
}

/** @returns the stored row, and the token value, which is not stored */
export async function issueToken(
  tx: EntityManager,
  { scope, ...fields }: NewToken,
): Promise<{ row: ApiToken; token: string }> {
  const { token, id: publicId, secretHash } = mintToken();
  const id = newId();
  const tokens = tx.getRepository(ApiToken);
  await tokens.insert({ id, ...fields, ...scope, prefix: readTokenPrefix(token), secretHash });
  await addToDirectory(tx, { kind: 'token', key: Buffer.from(publicId), tenantId: fields.tenantId, recordId: id });
  return { row: await tokens.findOneByOrFail({ tenantId: fields.tenantId, id }), token };
}
