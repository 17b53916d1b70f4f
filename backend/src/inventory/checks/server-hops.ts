import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { KeyVault } from '../../keys/key-vault.js';
import type { JumpHop } from '../../transport/connection/jump-route.js';
import { toHop, collectJumpPath } from '../fields/server-connection.js';
import { JumpPaths } from '../jump-paths.js';
import type { Server } from '../fields/server.entity.js';

@Injectable()
export class ServerHops {
  constructor(
    private readonly jumps: JumpPaths,
    private readonly keys: KeyVault,
  ) {}

  async findHopsTo(tx: EntityManager, { tenantId, environmentId, jumpServerId }: Server): Promise<JumpHop[]> {
    if (jumpServerId === null) return [];
    const known = await this.jumps.findJumpServers(tx, tenantId, environmentId, [jumpServerId]);
    const keyIds = [...known.values()].map(({ sshKeyId }) => sshKeyId);
    const opened = await this.keys.openPrivateKeys(tx, tenantId, keyIds);
    return collectJumpPath(jumpServerId, known).map((jump) => toHop(jump, opened));
  }
}
