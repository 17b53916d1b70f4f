import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { sql, whereSql } from '../../common/database/sql.js';
import { invalidRequest, notFound } from '../../common/errors/problem.js';
import { isInVisibleEnvironmentSql } from '../../environments/environments.sql.js';
import { Server } from '../fields/server.entity.js';
import type { UpsertServerRequest } from '../servers.dto.js';

/**
 * Replaces `jumpServer` with the ID of the named server. An external ID of the same source takes precedence over a
 * name.
 * @throws Problem 400 if the request also has `jumpServerId`; 404 at `/jumpServer`
 */
export async function resolveJumpServer(
  tx: EntityManager,
  caller: Principal,
  source: string,
  { jumpServer, ...request }: UpsertServerRequest,
): Promise<Omit<UpsertServerRequest, 'jumpServer'>> {
  if (jumpServer === undefined) return request;
  if (request.jumpServerId !== undefined) {
    const message = 'Send jumpServer or jumpServerId, not both.';
    throw invalidRequest([{ path: '/jumpServer', code: 'not_applicable', message }]);
  }
  if (jumpServer === null) return { ...request, jumpServerId: null };
  const query = tx
    .getRepository(Server)
    .createQueryBuilder('server')
    .where('server.tenantId = :tenantId', caller)
    .andWhere(
      '((server.externalSource = :source and server.externalId = :word) or lower(server.name) = lower(:word))',
      {
        source,
        word: jumpServer,
      },
    );
  const found = await whereSql(query, isInVisibleEnvironmentSql(sql.raw('server'), caller)).getMany();
  const called = found.find((server) => server.externalSource === source && server.externalId === jumpServer);
  const jump = called ?? found[0];
  if (!jump) throw notFound('/jumpServer');
  return { ...request, jumpServerId: jump.id };
}
