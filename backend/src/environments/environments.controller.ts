import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { Route } from '../common/http/route.js';
import { CreateEnvironmentRequest, ListEnvironmentsQuery, UpdateEnvironmentRequest } from './environments.dto.js';
import { EnvironmentsService } from './environments.service.js';
import { EnvironmentListView, EnvironmentView } from './environments.view.js';

@ApiTags('Environments')
@Controller('api/environments')
export class EnvironmentsController {
  constructor(private readonly environments: EnvironmentsService) {}

  @Get()
  @Requires('viewer', { reach: 'plan' })
  @Route({ id: 'listEnvironments', summary: 'List environments', answer: EnvironmentListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListEnvironmentsQuery): Promise<EnvironmentListView> {
    return this.environments.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer', { reach: 'plan' })
  @Route({ id: 'getEnvironment', summary: 'Get an environment', answer: EnvironmentView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<EnvironmentView> {
    return this.environments.get(caller, id);
  }

  @Post()
  @Requires('operator', { people: false })
  @Route({
    id: 'createEnvironment',
    summary: 'Create an environment',
    answer: EnvironmentView,
    status: 201,
    problems: [400, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateEnvironmentRequest): Promise<EnvironmentView> {
    return this.environments.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator', { reach: 'environment', people: 'by_content' })
  @AcceptsIfMatch()
  @Route({
    id: 'updateEnvironment',
    summary: 'Change an environment',
    answer: EnvironmentView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateEnvironmentRequest,
    @IfMatch() version: number | null,
  ): Promise<EnvironmentView> {
    return this.environments.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator', { reach: 'environment', people: 'by_content' })
  @AcceptsIfMatch()
  @Route({ id: 'deleteEnvironment', summary: 'Delete an environment', answer: null, problems: [404, 409, 412] })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.environments.delete(caller, id, version);
  }
}
