import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { DepartedServers } from './departed-servers.js';
import {
  DepartedServerListView,
  DepartedServerView,
  ListDepartedServersQuery,
  ReleaseDepartedServerRequest,
} from './departed-servers.view.js';

@ApiTags('Inventory')
@Controller('api/environments/:id/departed-servers')
export class DepartedServersController {
  constructor(private readonly departedServers: DepartedServers) {}

  @Get()
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'listDepartedServers',
    summary: 'List servers that left a protected environment and are still protected',
    description:
      'Servers that were moved or deleted, got a new address, or whose proofs were deleted. Runs of other environments do not reach their addresses and host keys until another approver releases them, or until `countsUntil`. Newest first.',
    answer: DepartedServerListView,
    problems: [400, 404],
  })
  list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListDepartedServersQuery,
  ): Promise<DepartedServerListView> {
    return this.departedServers.listDepartedServers(caller, id, query);
  }

  @Post(':departureId/release')
  @Requires('viewer', { reach: 'environment', people: true })
  @Route({
    id: 'releaseDepartedServer',
    summary: 'Release the host of a server that left a protected environment',
    description:
      'Runs of other environments may reach it at once. Needs the grant `approve`. 403 `second_person_required` for the member who removed the server, and for members who are not independent of that member.',
    answer: null,
    problems: [400, 404, 409, 413, 415],
  })
  release(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('departureId') departureId: string,
    @Body() body: ReleaseDepartedServerRequest,
  ): Promise<void> {
    return this.departedServers.releaseServer(caller, id, departureId, body);
  }

  @Post(':departureId/keep')
  @Requires('viewer', { reach: 'environment', people: true })
  @Route({
    id: 'keepDepartedServer',
    summary: 'Keep protecting the host of a server that left a protected environment',
    description: 'Its protection no longer ends at `countsUntil`. Needs the grant `approve`. Safe to repeat.',
    answer: DepartedServerView,
    problems: [404, 409],
  })
  keep(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('departureId') departureId: string,
  ): Promise<DepartedServerView> {
    return this.departedServers.keepServer(caller, id, departureId);
  }
}
