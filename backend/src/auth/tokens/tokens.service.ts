import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { isLimitedToRecords } from '../../common/access/caller-limits.js';
import { type Principal, roleIncludes } from '../../common/access/principal.js';
import { row, sql, whereSql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import {
  insufficientRoleProblem,
  insufficientScopeProblem,
  invalidRequest,
  notFound,
} from '../../common/errors/problem.js';
import type { Page } from '../../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../../common/http/paging/sorted-page.js';
import { isId } from '../../common/ids.js';
import { lockServiceAccount, findMember } from '../../tenancy/directory/member.reader.js';
import { type EndedRunsView, UNBEGUN_RUNS, type UnbegunRuns } from '../../tenancy/unbegun-runs.js';
import { ApiToken } from './api-token.entity.js';
import { resolveRequestedScope } from './requested-scope.js';
import { issueToken } from './issue-token.js';
import { SCOPE_RECORDS, type ScopeRecordFinders } from './scope-records.js';
import { createChildTokenFields, isInTokenLineageSql, revokeTokenLineage } from './token-lineage.js';
import type { CreateTokenRequest, ListTokensQuery } from './tokens.dto.js';
import { type CreatedTokenView, type TokenView, toTokenView } from './tokens.view.js';
import { UserReference } from '../../common/http/user-reference.view.js';

/**
 * Manages API tokens: the caller's own, and for admins those of any member. A token with restricted environments or
 * plans sees only itself and its descendants.
 */
@Injectable()
export class TokensService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    @Inject(SCOPE_RECORDS) private readonly records: ScopeRecordFinders,
    @Inject(UNBEGUN_RUNS) private readonly unbegunRuns: UnbegunRuns,
  ) {}

  /**
   * @throws Problem 403 when a caller who is not an admin requests another member's tokens; decided before any lookup
   */
  list(caller: Principal, query: ListTokensQuery): Promise<Page<TokenView>> {
    const userId = query.userId ?? caller.userId;
    if (userId !== caller.userId && !roleIncludes(caller.role, 'admin')) throw insufficientRoleProblem('admin');
    if (userId !== caller.userId && isLimitedToRecords(caller.limits)) throw insufficientScopeProblem('reach');
    return this.units.run(caller.tenantId, async (tx) => {
      const user = await findMember(tx, caller.tenantId, userId);
      if (!user) return { items: [], nextCursor: null };
      const select = tx
        .getRepository(ApiToken)
        .createQueryBuilder('token')
        .where('token.tenantId = :tenantId and token.userId = :userId', { tenantId: caller.tenantId, userId });
      if (isLimitedToRecords(caller.limits))
        whereSql(select, isInTokenLineageSql(sql.raw('token.id'), caller.tenantId, caller.credentialId));
      const page = await readPage(select, query, (token) => toTokenView(token, user), {
        name: NAMED_RECORD_COLUMNS.name,
      });
      const ids = page.items.map(({ id }) => id);
      const runs = await this.unbegunRuns(tx, caller.tenantId, 'token', ids);
      return { ...page, items: page.items.map((token) => ({ ...token, waitingRuns: runs.get(token.id) ?? 0 })) };
    });
  }

  /** Returns one of the caller's tokens; for admins any token. @throws Problem 404 */
  get(caller: Principal, id: string): Promise<TokenView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const token = await findVisibleToken(tx, caller, id);
      const user = await findMember(tx, caller.tenantId, token.userId);
      if (!user) throw notFound();
      const runs = await this.unbegunRuns(tx, caller.tenantId, 'token', [token.id]);
      return { ...toTokenView(token, user), waitingRuns: runs.get(token.id) ?? 0 };
    });
  }

  /** Creates a token of the caller. Only this response contains its value. */
  create(caller: Principal, request: CreateTokenRequest): Promise<CreatedTokenView> {
    return this.units.run(caller.tenantId, (tx) =>
      this.createInTransaction(tx, caller, { id: caller.userId, name: caller.name }, request),
    );
  }

  /** Creates a token of a service account. @throws Problem 404 */
  createForServiceAccount(
    caller: Principal,
    accountId: string,
    request: CreateTokenRequest,
  ): Promise<CreatedTokenView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const account = await lockServiceAccount(tx, caller.tenantId, accountId);
      if (!account) throw notFound();
      return this.createInTransaction(tx, caller, account, request);
    });
  }

  private async createInTransaction(
    tx: EntityManager,
    caller: Principal,
    user: UserReference,
    request: CreateTokenRequest,
  ): Promise<CreatedTokenView> {
    const requestedExpiry = request.expiresAt ? new Date(request.expiresAt) : null;
    await requireFutureExpiry(tx, requestedExpiry);
    const { tenantId } = caller;
    const child = await createChildTokenFields(tx, caller, requestedExpiry);
    const scope = await resolveRequestedScope(tx, caller, this.records, request.scope ?? {}, '/scope');
    const { row, token } = await issueToken(tx, { tenantId, userId: user.id, name: request.name, scope, ...child });
    const view = toTokenView(row, user);
    await this.audit.record(tx, caller, {
      action: 'token.create',
      resourceId: row.id,
      resourceName: request.name,
      after: view,
    });
    return { ...view, token };
  }

  /**
   * Ends one of the caller's tokens (for admins any token) and all of its descendants immediately. Repeated calls
   * change nothing.
   * @returns number of runs that have not begun and end with the token
   * @throws Problem 404
   */
  async revokeToken(caller: Principal, id: string): Promise<EndedRunsView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { id: tokenId } = await findVisibleToken(tx, caller, id);
      const tokens = tx.getRepository(ApiToken);
      const revoked = await revokeTokenLineage(tx, caller.tenantId, id);
      const runs = await this.unbegunRuns(tx, caller.tenantId, 'token', revoked.length > 0 ? [tokenId] : []);
      const endedRuns = runs.get(tokenId) ?? 0;
      for (const token of await tokens.findBy({ tenantId: caller.tenantId, id: In(revoked) })) {
        await this.audit.record(tx, caller, {
          action: 'token.revoke',
          resourceId: token.id,
          resourceName: token.name,
          before: { userId: token.userId, prefix: token.prefix, parentId: token.parentTokenId },
          ...(token.id === tokenId ? { after: { endedRuns } } : {}),
        });
      }
      return { endedRuns };
    });
  }
}

/** @throws Problem 400 */
async function requireFutureExpiry(tx: EntityManager, requestedExpiry: Date | null): Promise<void> {
  const clock = await row(tx, sql<{ late: boolean | null }>`select ${requestedExpiry}::timestamptz <= now() as late`);
  if (!clock?.late) return;
  throw invalidRequest([
    {
      path: '/expiresAt',
      code: 'in_the_past',
      message: 'expiresAt is in the past. Choose a later time, or omit it.',
    },
  ]);
}

/** @throws Problem 404 */
async function findVisibleToken(tx: EntityManager, caller: Principal, id: string): Promise<ApiToken> {
  if (!isId(id)) throw notFound();
  const { tenantId, userId, credentialId } = caller;
  const select = tx
    .getRepository(ApiToken)
    .createQueryBuilder('token')
    .where('token.tenantId = :tenantId and token.id = :id', { tenantId, id });
  if (!roleIncludes(caller.role, 'admin')) select.andWhere('token.userId = :userId', { userId });
  if (isLimitedToRecords(caller.limits))
    whereSql(select, isInTokenLineageSql(sql.raw('token.id'), tenantId, credentialId));
  const token = await select.getOne();
  if (!token) throw notFound();
  return token;
}
