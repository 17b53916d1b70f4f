import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, TakesIfMatch } from '../common/http/if-match.js';
import { Route } from '../common/http/route.js';
import { ServerChecker } from './server-check.js';
import { HostKeyTrust } from './host-key-trust.js';
import {
  AcceptHostKeyRequest,
  CreateServerRequest,
  ListServersQuery,
  ShareHostKeyRequest,
  UpdateServerRequest,
} from './servers.dto.js';
import { ServerList } from './server-list.js';
import { ServersService } from './servers.service.js';
import { ServerListView, ServerView } from './servers.view.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers')
export class ServersController {
  constructor(
    private readonly servers: ServersService,
    private readonly serverList: ServerList,
    private readonly checker: ServerChecker,
    private readonly trust: HostKeyTrust,
  ) {}

  @Get()
  @Requires('viewer')
  @Route({ id: 'listServers', summary: 'List servers', answer: ServerListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListServersQuery): Promise<ServerListView> {
    return this.serverList.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer')
  @Route({ id: 'getServer', summary: 'Get a server', answer: ServerView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerView> {
    return this.servers.get(caller, id);
  }

  @Post()
  @Requires('operator')
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
  @Requires('operator')
  @TakesIfMatch()
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
  @Requires('operator')
  @TakesIfMatch()
  @Route({ id: 'deleteServer', summary: 'Delete a server', answer: null, problems: [404, 409, 412] })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.servers.delete(caller, id, version);
  }

  @Post(':id/check')
  @Requires('operator')
  @Route({
    id: 'checkServer',
    summary: 'Try the connection to a server',
    description:
      'Looks at the host key and, when it is the pinned one, signs in. Runs no command. The answer tells what was found.',
    answer: ServerView,
    problems: [404, 409],
  })
  check(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerView> {
    return this.checker.check(caller, id);
  }

  @Put(':id/host-key')
  @Requires('operator')
  @TakesIfMatch()
  @Route({
    id: 'acceptHostKey',
    summary: 'Accept the host key that the last check saw',
    answer: ServerView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  acceptHostKey(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: AcceptHostKeyRequest,
    @IfMatch() version: number | null,
  ): Promise<ServerView> {
    return this.trust.accept(caller, id, body.fingerprint, version);
  }

  @Put(':id/host-key/shared')
  @Requires('admin')
  @Route({
    id: 'shareHostKey',
    summary: 'Say whether several machines show the pinned host key',
    description:
      'A host that shows the key of a server in another, protected environment is refused as that machine. Where machines were copied with their host keys, mark the key as shared: it then tells no machine from another, for all servers of the tenant with that key. Their addresses are still compared.',
    answer: ServerView,
    problems: [400, 404, 409, 413, 415],
  })
  shareHostKey(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ShareHostKeyRequest,
  ): Promise<ServerView> {
    return this.trust.share(caller, id, body);
  }
}
