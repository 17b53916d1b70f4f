import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../../common/http/etag.js';
import { Route } from '../../common/http/route.js';
import { ListVariablesQuery, PutVariableRequest } from '../../variables/variables.dto.js';
import { VariablesService } from './variables.service.js';
import { EnvironmentVariableListView, EnvironmentVariableView } from './variables.view.js';

@ApiTags('Environments')
@Controller('api/environments/:id/variables')
export class VariablesController {
  constructor(private readonly variables: VariablesService) {}

  @Get()
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'listEnvironmentVariables',
    summary: "List an environment's variables, by name",
    description: 'Values of secret variables are not returned.',
    answer: EnvironmentVariableListView,
    problems: [400, 404],
  })
  list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListVariablesQuery,
  ): Promise<EnvironmentVariableListView> {
    return this.variables.list(caller, id, query);
  }

  @Get(':key')
  @Requires('viewer', { reach: 'environment' })
  @Route({ id: 'getEnvironmentVariable', summary: 'Get a variable', answer: EnvironmentVariableView, problems: [404] })
  get(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('key') key: string,
  ): Promise<EnvironmentVariableView> {
    return this.variables.get(caller, id, key);
  }

  @Put(':key')
  @Requires('operator', { reach: 'environment', people: false })
  @AcceptsIfMatch()
  @Route({
    id: 'putEnvironmentVariable',
    summary: 'Set a variable',
    description:
      'Exported to every command that runs here; a plan that declares the name can also use it in `{{ }}`. A value sent with a start overrides it. A secret is sealed and never shown again.',
    answer: EnvironmentVariableView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  put(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('key') key: string,
    @Body() body: PutVariableRequest,
    @IfMatch() version: number | null,
  ): Promise<EnvironmentVariableView> {
    return this.variables.put(caller, id, key, body, version);
  }

  @Delete(':key')
  @Requires('operator', { reach: 'environment', people: false })
  @AcceptsIfMatch()
  @Route({ id: 'deleteEnvironmentVariable', summary: 'Delete a variable', answer: null, problems: [404, 409, 412] })
  delete(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('key') key: string,
    @IfMatch() version: number | null,
  ): Promise<void> {
    return this.variables.delete(caller, id, key, version);
  }
}
