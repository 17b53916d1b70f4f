import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { mintToken, tokenPrefix } from '../common/crypto/api-token.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { invalidRequest, notFound } from '../common/errors/problem.js';
import { type Page, readPage } from '../common/http/page.js';
import { isId, newId } from '../common/ids.js';
import { ApiToken } from './api-token.entity.js';
import type { CreateTokenRequest, ListTokensQuery } from './tokens.dto.js';
import { type CreatedTokenView, type TokenView, toTokenView } from './tokens.view.js';

/** API tokens of the caller. */
@Injectable()
export class TokensService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  list(caller: Principal, query: ListTokensQuery): Promise<Page<TokenView>> {
    return this.units.run(caller.tenantId, (tx) =>
      readPage(
        tx
          .getRepository(ApiToken)
          .createQueryBuilder('token')
          .where('token.tenantId = :tenantId and token.userId = :userId', caller),
        query,
        toTokenView,
      ),
    );
  }

  /** Creates a token; its value is in this answer only. */
  async create(caller: Principal, request: CreateTokenRequest): Promise<CreatedTokenView> {
    const expiresAt = request.expiresAt ? new Date(request.expiresAt) : null;
    const { token, id: publicId, secretHash } = mintToken();
    const id = newId();
    return this.units.run(caller.tenantId, async (tx) => {
      const [clock] = await tx.query<{ late: boolean }[]>('select $1::timestamptz <= now() as late', [expiresAt]);
      if (clock?.late) {
        throw invalidRequest([
          {
            path: '/expiresAt',
            code: 'in_the_past',
            message: 'expiresAt has passed already. Choose a later time, or leave it out.',
          },
        ]);
      }
      const tokens = tx.getRepository(ApiToken);
      await tokens.insert({
        id,
        tenantId: caller.tenantId,
        userId: caller.userId,
        name: request.name,
        prefix: tokenPrefix(token),
        secretHash,
        expiresAt,
      });
      await tx.query(`insert into auth_directory (kind, key, tenant_id, record_id) values ('token', $1, $2, $3)`, [
        Buffer.from(publicId),
        caller.tenantId,
        id,
      ]);
      const view = toTokenView(await tokens.findOneByOrFail({ tenantId: caller.tenantId, id }));
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

  /** Ends a token of the caller at once. Revoking it again changes nothing. @throws Problem 404 */
  async revoke(caller: Principal, id: string): Promise<void> {
    if (!isId(id)) throw notFound();
    await this.units.run(caller.tenantId, async (tx) => {
      const token = await tx
        .getRepository(ApiToken)
        .findOneBy({ tenantId: caller.tenantId, userId: caller.userId, id });
      if (!token) throw notFound();
      if (token.revokedAt) return;
      await tx.query('update api_tokens set revoked_at = now() where id = $1', [id]);
      await tx.query('delete from auth_directory where record_id = $1', [id]);
      await this.audit.record(tx, caller, {
        action: 'token.revoke',
        resourceType: 'token',
        resourceId: id,
        resourceName: token.name,
        before: toTokenView(token),
      });
    });
  }
}
