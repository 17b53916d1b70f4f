import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { Route } from '../common/http/route.js';
import { CreateServerRequest, ListServersQuery, UpdateServerRequest } from './servers.dto.js';
import { ServerList } from './server-list.js';
import { ServersService } from './servers.service.js';
import { ServerListView, ServerView } from './servers.view.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers')
export class ServersController {
  constructor(
    private readonly servers: ServersService,
    private readonly serverList: ServerList,
  ) {}

  @Get()
  @Requires('viewer', { reach: 'environment' })
  @Route({ id: 'listServers', summary: 'List servers', answer: ServerListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListServersQuery): Promise<ServerListView> {
    return this.serverList.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer', { reach: 'environment' })
  @Route({ id: 'getServer', summary: 'Get a server', answer: ServerView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerView> {
    return this.servers.get(caller, id);
  }

  @Post()
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'createServer',
    summary: 'Register a server',
    answer: ServerView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateServerRequest): Promise<ServerView> {
    return this.servers.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator', { reach: 'environment' })
  @AcceptsIfMatch()
  @Route({
    id: 'updateServer',
    summary: 'Change a server',
    answer: ServerView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateServerRequest,
    @IfMatch() version: number | null,
  ): Promise<ServerView> {
    return this.servers.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator', { reach: 'environment' })
  @AcceptsIfMatch()
  @Route({ id: 'deleteServer', summary: 'Delete a server', answer: null, problems: [404, 409, 412] })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.servers.delete(caller, id, version);
  }
}
