import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { BulkServers } from './bulk-servers.js';
import { BulkServersQuery, BulkServersRequest } from './bulk-servers.dto.js';
import { BulkServersView } from './bulk-servers.view.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers/bulk')
export class BulkServersController {
  constructor(private readonly bulk: BulkServers) {}

  @Post()
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'changeServers',
    summary: 'Change or delete many servers',
    description:
      'Servers are named, or found by the filters of the list with the number that the caller expects. Tags are added and removed, the environment and `enabled` set; what is so already is left alone. Each server is changed by the rules of a single change and has its own audit entry. All is done in one transaction; when a server is refused nothing is done, unless `partial` is sent. With `preview=true` the answer tells what would be done, and why not.',
    answer: BulkServersView,
    problems: [400, 404, 409, 413, 415],
  })
  change(
    @Caller() caller: Principal,
    @Body() body: BulkServersRequest,
    @Query() query: BulkServersQuery,
  ): Promise<BulkServersView> {
    return this.bulk.change(caller, body, query.preview === 'true');
  }
}
