import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { ServerList } from '../server-list.js';
import type { ServerView } from '../servers.view.js';
import { ServerVariableVault } from '../variables/server-variable-vault.js';
import { JumpPaths } from '../jump-paths.js';
import { createInventoryWriter } from './export-formats.js';
import type { ExportedVariables } from './inventory-writer.js';
import { findJumpPathTo } from './jump-path.js';
import type { ExportServersQuery } from './server-export.dto.js';

const NO_VARIABLES: ExportedVariables = new Map();
const SERVERS_PER_BATCH = 500;

@Injectable()
export class ServerExport {
  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerList,
    private readonly vault: ServerVariableVault,
    private readonly jumps: JumpPaths,
  ) {}

  /**
   * Writes page by page, at the speed at which the client reads. This limits memory use.
   * @throws Problem 400
   */
  async send(
    caller: Principal,
    { format = 'json', ...filters }: ExportServersQuery,
    response: Response,
  ): Promise<void> {
    const query = { ...filters, sort: 'name', limit: SERVERS_PER_BATCH };
    let page = await this.servers.list(caller, query);
    const writer = createInventoryWriter(format);
    response.status(200).type(`${writer.media}; charset=utf-8`);
    response.setHeader('Content-Disposition', `attachment; filename="${writer.file}"`);
    await writeAndDrain(response, writer.begin());
    for (;;) {
      const { variables, stops } = await this.loadExtras(caller, page.items);
      await writeAndDrain(
        response,
        page.items
          .map((server) =>
            writer.server(server, {
              variables: variables.get(server.id) ?? NO_VARIABLES,
              jumpPath: findJumpPathTo(server.jumpServerId, stops),
            }),
          )
          .join(''),
      );
      if (page.nextCursor === null || response.destroyed) break;
      page = await this.servers.list(caller, { ...query, cursor: page.nextCursor });
    }
    response.end(writer.end());
  }

  /** Reads variables and jump paths. The caller must have been authorised to see the servers. */
  private loadExtras(caller: Principal, servers: readonly ServerView[]) {
    const ids = servers.map(({ id }) => id);
    const jumpServerIds = servers.flatMap(({ jumpServerId }) => jumpServerId ?? []);
    return this.units.run(caller.tenantId, async (tx) => ({
      variables: await this.vault.readForPreview(tx, caller.tenantId, ids),
      stops: await this.jumps.findVisibleJumpServers(tx, caller, jumpServerIds),
    }));
  }
}

async function writeAndDrain(response: Response, text: string): Promise<void> {
  if (response.destroyed || text === '' || response.write(text)) return;
  await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
}
