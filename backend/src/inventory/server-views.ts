import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { getPinnedKeys } from '../transport/keys/pinned-key.js';
import { SharedHostKeys } from './machines/same-host-keys.js';
import type { Server } from './fields/server.entity.js';
import { readProtectionStates } from './machines/protection-state.js';
import { type AuditedServer, type ServerView, toAuditedServer } from './servers.view.js';

/** Builds server views. Adds the state of host keys and protection, which are stored outside the server's row. */
@Injectable()
export class ServerViews {
  constructor(private readonly sharedKeys: SharedHostKeys) {}

  /** Returns a function that builds a view. All servers must belong to one tenant. */
  async loadViews(tx: EntityManager, servers: readonly Server[]): Promise<(server: Server) => ServerView> {
    const recorded = await this.loadAuditedServers(tx, servers);
    const states = await readProtectionStates(tx, servers[0]?.tenantId ?? '', getIds(servers));
    return (server) => ({ ...recorded(server), protection: states.get(server.id) ?? 'environment_open' });
  }

  /** Like `of`, for the audit trail: without protection. */
  async loadAuditedServers(tx: EntityManager, servers: readonly Server[]): Promise<(server: Server) => AuditedServer> {
    const fingerprints = servers.flatMap((server) => getPinnedKeys(server).map(({ fingerprint }) => fingerprint));
    const shared = await this.sharedKeys.findSharedFingerprints(tx, servers[0]?.tenantId ?? '', fingerprints);
    return (server) => toAuditedServer(server, shared);
  }

  async addProtection(tx: EntityManager, tenantId: string, server: AuditedServer): Promise<ServerView> {
    const states = await readProtectionStates(tx, tenantId, [server.id]);
    return { ...server, protection: states.get(server.id) ?? 'environment_open' };
  }

  async loadView(tx: EntityManager, server: Server): Promise<ServerView> {
    return (await this.loadViews(tx, [server]))(server);
  }
}

const getIds = (servers: readonly Server[]): string[] => servers.map(({ id }) => id);
