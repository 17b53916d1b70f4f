import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { getPinnedKeys } from '../transport/keys/pinned-key.js';
import { SharedHostKeys } from './machines/shared-host-keys.js';
import type { Server } from './server.entity.js';
import { protectionStates } from './machines/protection-state.js';
import { type RecordedServer, type ServerView, toRecordedServer } from './servers.view.js';

/** Builds server views. Adds the state of host keys and protection, which are stored outside the server's row. */
@Injectable()
export class ServerViews {
  constructor(private readonly sharedKeys: SharedHostKeys) {}

  /** Returns a function that builds a view. All servers must belong to one tenant. */
  async of(tx: EntityManager, servers: readonly Server[]): Promise<(server: Server) => ServerView> {
    const recorded = await this.recorded(tx, servers);
    const states = await protectionStates(tx, servers[0]?.tenantId ?? '', idsOf(servers));
    return (server) => ({ ...recorded(server), protection: states.get(server.id) ?? 'environment_open' });
  }

  /** Like `of`, for the audit trail: without protection. */
  async recorded(tx: EntityManager, servers: readonly Server[]): Promise<(server: Server) => RecordedServer> {
    const fingerprints = servers.flatMap((server) => getPinnedKeys(server).map(({ fingerprint }) => fingerprint));
    const shared = await this.sharedKeys.among(tx, servers[0]?.tenantId ?? '', fingerprints);
    return (server) => toRecordedServer(server, shared);
  }

  async withProtection(tx: EntityManager, tenantId: string, server: RecordedServer): Promise<ServerView> {
    const states = await protectionStates(tx, tenantId, [server.id]);
    return { ...server, protection: states.get(server.id) ?? 'environment_open' };
  }

  async one(tx: EntityManager, server: Server): Promise<ServerView> {
    return (await this.of(tx, [server]))(server);
  }
}

const idsOf = (servers: readonly Server[]): string[] => servers.map(({ id }) => id);
