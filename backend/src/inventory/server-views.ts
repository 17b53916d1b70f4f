import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { pinsOf } from '../transport/keys/pinned-key.js';
import { SharedHostKeys } from './machines/shared-host-keys.js';
import type { Server } from './server.entity.js';
import { type ServerView, toServerView } from './servers.view.js';

/** Builds the views of servers, with what is known of their host keys beside the servers' own rows. */
@Injectable()
export class ServerViews {
  constructor(private readonly sharedKeys: SharedHostKeys) {}

  /** What builds the view of each of these. All belong to one tenant. */
  async of(tx: EntityManager, servers: readonly Server[]): Promise<(server: Server) => ServerView> {
    const fingerprints = servers.flatMap((server) => pinsOf(server).map(({ fingerprint }) => fingerprint));
    const shared = await this.sharedKeys.among(tx, servers[0]?.tenantId ?? '', fingerprints);
    return (server) => toServerView(server, shared);
  }

  async one(tx: EntityManager, server: Server): Promise<ServerView> {
    return (await this.of(tx, [server]))(server);
  }
}
