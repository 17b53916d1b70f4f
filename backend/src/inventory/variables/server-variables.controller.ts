import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../../common/http/etag.js';
import { Route } from '../../common/http/route.js';
import { ListVariablesQuery, PutVariableRequest } from '../../variables/variables.dto.js';
import { ServerVariablesService } from './server-variables.service.js';
import { ServerVariableListView, ServerVariableView } from './server-variables.view.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers/:id/variables')
export class ServerVariablesController {
  constructor(private readonly variables: ServerVariablesService) {}

  @Get()
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'listServerVariables',
    summary: "List a server's variables, by name",
    description: 'Values of secret variables are not returned.',
    answer: ServerVariableListView,
    problems: [400, 404],
  })
  list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListVariablesQuery,
  ): Promise<ServerVariableListView> {
    return this.variables.list(caller, id, query);
  }

  @Get(':key')
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'getServerVariable',
    summary: 'Get a variable of a server',
    answer: ServerVariableView,
    problems: [404],
  })
  get(@Caller() caller: Principal, @Param('id') id: string, @Param('key') key: string): Promise<ServerVariableView> {
    return this.variables.get(caller, id, key);
  }

  @Put(':key')
  @Requires('operator', { reach: 'environment' })
  @AcceptsIfMatch()
  @Route({
    id: 'putServerVariable',
    summary: 'Set a variable of a server',
    description:
      'Exported to every command that runs on this server; a plan that declares the name can also use it in `{{ }}`. It overrides the value of the environment, and a value of the start overrides it. A secret is sealed and never shown again.',
    answer: ServerVariableView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  put(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('key') key: string,
    @Body() body: PutVariableRequest,
    @IfMatch() version: number | null,
  ): Promise<ServerVariableView> {
    return this.variables.put(caller, id, key, body, version);
  }

  @Delete(':key')
  @Requires('operator', { reach: 'environment' })
  @AcceptsIfMatch()
  @Route({
    id: 'deleteServerVariable',
    summary: 'Delete a variable of a server',
    answer: null,
    problems: [404, 409, 412],
  })
  delete(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('key') key: string,
    @IfMatch() version: number | null,
  ): Promise<void> {
    return this.variables.delete(caller, id, key, version);
  }
}
