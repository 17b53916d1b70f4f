import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { ServerExport } from './server-export.js';
import { ExportServersQuery } from './server-export.dto.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers/export')
export class ServerExportController {
  constructor(private readonly exports: ServerExport) {}

  @Get()
  @Requires('viewer', { reach: 'environment' })
  @ApiProduces('application/json', 'text/plain')
  @Route({
    id: 'exportServers',
    summary: 'Download servers for other tools',
    description:
      'Exports all servers that match the filter, sorted by name. Formats: a list that can be imported again, a dynamic inventory for Ansible, an ssh_config, or a known_hosts file with the pinned keys. Only the list includes disabled servers.',
    answer: null,
    status: 200,
    problems: [400],
  })
  send(@Caller() caller: Principal, @Query() query: ExportServersQuery, @Res() response: Response): Promise<void> {
    return this.exports.send(caller, query, response);
  }
}
