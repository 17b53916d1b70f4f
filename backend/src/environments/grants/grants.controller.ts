import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../../common/http/etag.js';
import { Route } from '../../common/http/route.js';
import { ListGrantsQuery, PutGrantRequest } from './grants.dto.js';
import { GrantsService } from './grants.service.js';
import { GrantListView, GrantView } from './grants.view.js';

@ApiTags('Environments')
@Controller('api/environments/:id/grants')
export class GrantsController {
  constructor(private readonly grants: GrantsService) {}

  @Get()
  @Requires('admin')
  @Route({ id: 'listGrants', summary: "List an environment's grants", answer: GrantListView, problems: [400, 404] })
  list(@Caller() caller: Principal, @Param('id') id: string, @Query() query: ListGrantsQuery): Promise<GrantListView> {
    return this.grants.list(caller, id, query);
  }

  @Put(':userId')
  @Requires('admin', { people: true })
  @AcceptsIfMatch()
  @Route({
    id: 'putGrant',
    summary: 'Grant a member a level in an environment',
    description:
      'Takes effect on the next request of the member. In an open environment only `approve` makes a difference.',
    answer: GrantView,
    problems: [400, 404, 412, 413, 415],
  })
  put(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('userId') userId: string,
    @Body() body: PutGrantRequest,
    @IfMatch() version: number | null,
  ): Promise<GrantView> {
    return this.grants.putGrant(caller, id, userId, body.level, version);
  }

  @Delete(':userId')
  @Requires('admin', { people: true })
  @AcceptsIfMatch()
  @Route({
    id: 'deleteGrant',
    summary: "Delete a member's grant",
    description: 'Takes effect on the next request of the member, and within two seconds on open streams.',
    answer: null,
    problems: [404, 412],
  })
  delete(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('userId') userId: string,
    @IfMatch() version: number | null,
  ): Promise<void> {
    return this.grants.delete(caller, id, userId, version);
  }
}
