import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../../common/http/etag.js';
import { Route } from '../../common/http/route.js';
import {
  CreateServiceAccountRequest,
  ListServiceAccountsQuery,
  UpdateServiceAccountRequest,
} from './service-accounts.dto.js';
import { EndedRunsView } from '../unbegun-runs.js';
import { ServiceAccountsService } from './service-accounts.service.js';
import { ServiceAccountListView, ServiceAccountView } from './service-accounts.view.js';

@ApiTags('Service accounts')
@Controller('api/service-accounts')
export class ServiceAccountsController {
  constructor(private readonly accounts: ServiceAccountsService) {}

  @Get()
  @Requires('admin')
  @Route({
    id: 'listServiceAccounts',
    summary: 'List service accounts',
    description:
      'Members that are programs. They are also listed among the members, because grants can be given to them.',
    answer: ServiceAccountListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListServiceAccountsQuery): Promise<ServiceAccountListView> {
    return this.accounts.list(caller, query);
  }

  @Get(':id')
  @Requires('admin')
  @Route({
    id: 'getServiceAccount',
    summary: 'Get a service account',
    answer: ServiceAccountView,
    problems: [404],
  })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ServiceAccountView> {
    return this.accounts.get(caller, id);
  }

  @Post()
  @Requires('admin', { people: true })
  @Route({
    id: 'createServiceAccount',
    summary: 'Add a service account',
    description:
      'It has no password and never signs in. It acts with tokens that admins create for it. It cannot approve.',
    answer: ServiceAccountView,
    status: 201,
    problems: [400, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateServiceAccountRequest): Promise<ServiceAccountView> {
    return this.accounts.create(caller, body);
  }

  @Patch(':id')
  @Requires('admin', { people: true })
  @AcceptsIfMatch()
  @Route({
    id: 'updateServiceAccount',
    summary: "Change a service account's name, description, role or status",
    description:
      'Takes effect on its next request. Disabling it cancels runs that its tokens started and that have not begun (`token_ended`); `waitingRuns` of the answer is their number.',
    answer: ServiceAccountView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateServiceAccountRequest,
    @IfMatch() version: number | null,
  ): Promise<ServiceAccountView> {
    return this.accounts.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('admin', { people: true })
  @AcceptsIfMatch()
  @Route({
    id: 'removeServiceAccount',
    summary: 'Remove a service account',
    description:
      'Removes its tokens and grants. Its records and runs stay. Runs that its tokens started and that have not begun are cancelled (`token_ended`); the answer contains their number. While trust rules issue tokens for it: 409 `in_use`.',
    answer: EndedRunsView,
    problems: [404, 409, 412],
  })
  remove(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @IfMatch() version: number | null,
  ): Promise<EndedRunsView> {
    return this.accounts.remove(caller, id, version);
  }
}
