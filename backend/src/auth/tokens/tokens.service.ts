import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { type Principal, roleIncludes } from '../../common/access/principal.js';
import { mintToken, tokenPrefix } from '../../common/crypto/api-token.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { insufficientRole, invalidRequest, notFound } from '../../common/errors/problem.js';
import type { Page } from '../../common/http/paging/page.js';
import { NAMED_RECORD, readPage } from '../../common/http/paging/sorted-page.js';
import { isId, newId } from '../../common/ids.js';
import { enlist } from '../../tenancy/directory/auth-directory.js';
import { memberById } from '../../tenancy/directory/member.reader.js';
import { ApiToken } from './api-token.entity.js';
import { childExpiry, revokeLineage } from './token-lineage.js';
import type { CreateTokenRequest, ListTokensQuery } from './tokens.dto.js';
import { type CreatedTokenView, type TokenView, toTokenView } from './tokens.view.js';

/** API tokens: the caller's own, and for admins those of any member. */
@Injectable()
export class TokensService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws Problem 403 when somebody who is no admin asks for another member's; decided before any look-up */
  list(caller: Principal, query: ListTokensQuery): Promise<Page<TokenView>> {
    const userId = query.userId ?? caller.userId;
    if (userId !== caller.userId && !roleIncludes(caller.role, 'admin')) throw insufficientRole('admin');
    return this.units.run(caller.tenantId, async (tx) => {
      const user = await memberById(tx, caller.tenantId, userId);
      if (!user) return { items: [], nextCursor: null };
      const select = tx
        .getRepository(ApiToken)
        .createQueryBuilder('token')
        .where('token.tenantId = :tenantId and token.userId = :userId', { tenantId: caller.tenantId, userId });
      return readPage(select, query, (token) => toTokenView(token, user), { name: NAMED_RECORD.name });
    });
  }

  /** One of the caller, or for admins any. @throws Problem 404 */
  get(caller: Principal, id: string): Promise<TokenView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const token = await visible(tx, caller, id);
      const user = await memberById(tx, caller.tenantId, token.userId);
      if (!user) throw notFound();
      return toTokenView(token, user);
    });
  }

  /** Creates a token; its value is in this answer only. */
  async create(caller: Principal, request: CreateTokenRequest): Promise<CreatedTokenView> {
    const wanted = request.expiresAt ? new Date(request.expiresAt) : null;
    const { token, id: publicId, secretHash } = mintToken();
    const id = newId();
    return this.units.run(caller.tenantId, async (tx) => {
      const [clock] = await tx.query<{ late: boolean }[]>('select $1::timestamptz <= now() as late', [wanted]);
      if (clock?.late) {
        throw invalidRequest([
          {
            path: '/expiresAt',
            code: 'in_the_past',
            message: 'expiresAt has passed already. Choose a later time, or leave it out.',
          },
        ]);
      }
      const expiresAt = await childExpiry(tx, caller, wanted);
      const tokens = tx.getRepository(ApiToken);
      await tokens.insert({
        id,
        tenantId: caller.tenantId,
        userId: caller.userId,
        parentTokenId: caller.via === 'token' ? caller.credentialId : null,
        name: request.name,
        prefix: tokenPrefix(token),
        secretHash,
        expiresAt,
      });
      await enlist(tx, { kind: 'token', key: Buffer.from(publicId), tenantId: caller.tenantId, recordId: id });
      const view = toTokenView(await tokens.findOneByOrFail({ tenantId: caller.tenantId, id }), {
        id: caller.userId,
        name: caller.name,
      });
      await this.audit.record(tx, caller, {
        action: 'token.create',
        resourceType: 'token',
        resourceId: id,
        resourceName: request.name,
        after: view,
      });
      return { ...view, token };
    });
  }

  /**
   * Ends a token, and all that were made with it, at once: one of the caller, or for admins any. Revoking it again
   * changes nothing.
   * @throws Problem 404
   */
  async revoke(caller: Principal, id: string): Promise<void> {
    await this.units.run(caller.tenantId, async (tx) => {
      await visible(tx, caller, id);
      const tokens = tx.getRepository(ApiToken);
      const revoked = await revokeLineage(tx, caller.tenantId, id);
      for (const token of await tokens.findBy({ tenantId: caller.tenantId, id: In(revoked) })) {
        await this.audit.record(tx, caller, {
          action: 'token.revoke',
          resourceType: 'token',
          resourceId: token.id,
          resourceName: token.name,
          before: { userId: token.userId, prefix: token.prefix, parentId: token.parentTokenId },
        });
      }
    });
  }
}

/** @throws Problem 404 */
async function visible(tx: EntityManager, caller: Principal, id: string): Promise<ApiToken> {
  const owner = roleIncludes(caller.role, 'admin') ? {} : { userId: caller.userId };
  const token = isId(id)
    ? await tx.getRepository(ApiToken).findOneBy({ tenantId: caller.tenantId, ...owner, id })
    : null;
  if (!token) throw notFound();
  return token;
}
