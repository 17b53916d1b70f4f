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
      'Selects servers by ID, or by the filters of the list with the number that the caller expects. Adds and removes tags, and sets the environment and `enabled`. Servers that already match are not changed. The rules of a single change apply to each server, and each has its own audit entry. All changes are one transaction: if one server is refused, nothing changes, unless `partial` is sent. With `preview=true`, the response lists the changes and the reasons for refusals, and nothing changes.',
    answer: BulkServersView,
    problems: [400, 404, 409, 413, 415],
  })
  change(
    @Caller() caller: Principal,
    @Body() body: BulkServersRequest,
    @Query() query: BulkServersQuery,
  ): Promise<BulkServersView> {
    return this.bulk.changeServers(caller, body, query.preview === 'true');
  }
}
