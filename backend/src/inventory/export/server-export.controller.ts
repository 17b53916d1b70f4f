import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { ServerExport } from './server-export.js';
import { ExportServersQuery } from './server-export.dto.js';

const JSON_OBJECT = { type: 'object', additionalProperties: true };
const SIZE = 'all matching servers without a limit, streamed';
const JSON_EXPORT = {
  oneOf: [{ type: 'array', items: JSON_OBJECT }, JSON_OBJECT],
  example: [{ name: 'web-1', hostname: 'web-1.example.com', username: 'deploy' }],
};

@ApiTags('Inventory')
@Controller('api/inventory/servers/export')
export class ServerExportController {
  constructor(private readonly exports: ServerExport) {}

  @Get()
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'exportServers',
    summary: 'Download servers for other tools',
    description:
      'Exports all servers that match the filter, sorted by name. Formats: a list that can be imported again, a dynamic inventory for Ansible, an ssh_config, or a known_hosts file with the pinned keys. Only the list includes disabled servers.',
    answer: null,
    files: [
      {
        media: 'application/json',
        size: `${SIZE} (\`json\`, \`ansible-json\`)`,
        named: true,
        schema: JSON_EXPORT,
      },
      { media: 'text/plain', size: `${SIZE} (\`ssh-config\`, \`known_hosts\`)`, named: true },
    ],
    problems: [400],
  })
  send(@Caller() caller: Principal, @Query() query: ExportServersQuery, @Res() response: Response): Promise<void> {
    return this.exports.send(caller, query, response);
  }
}
