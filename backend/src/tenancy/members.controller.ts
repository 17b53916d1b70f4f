import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { Route } from '../common/http/route.js';
import { CreateMemberRequest, ListMembersQuery, UpdateMemberRequest } from './members.dto.js';
import { MembersService } from './members.service.js';
import { CreatedMemberView, MemberListView, MemberView, PasswordLinkView } from './members.view.js';

@ApiTags('Members')
@Controller('api/members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get()
  @Requires('admin')
  @Route({ id: 'listMembers', summary: 'List members', answer: MemberListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListMembersQuery): Promise<MemberListView> {
    return this.members.list(caller, query);
  }

  @Get(':id')
  @Requires('admin')
  @Route({ id: 'getMember', summary: 'Get a member', answer: MemberView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<MemberView> {
    return this.members.get(caller, id);
  }

  @Post()
  @Requires('admin', { people: true })
  @Route({
    id: 'createMember',
    summary: 'Add a member',
    description:
      'With or without a password. Without a password, the answer contains a one-time link to set one. It is shown only once.',
    answer: CreatedMemberView,
    status: 201,
    problems: [400, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateMemberRequest): Promise<CreatedMemberView> {
    return this.members.create(caller, body);
  }

  @Patch(':id')
  @Requires('admin', { people: true })
  @AcceptsIfMatch()
  @Route({
    id: 'updateMember',
    summary: "Change a member's name, role or status",
    description:
      'Takes effect on the next request of the member. The last active admin cannot be demoted or disabled: 409 `last_admin`.',
    answer: MemberView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateMemberRequest,
    @IfMatch() version: number | null,
  ): Promise<MemberView> {
    return this.members.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('admin', { people: true })
  @AcceptsIfMatch()
  @Route({ id: 'removeMember', summary: 'Remove a member', answer: null, problems: [404, 409, 412] })
  remove(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.members.remove(caller, id, version);
  }

  @Post(':id/password-link')
  @Requires('admin', { people: true })
  @Route({
    id: 'createPasswordLink',
    summary: 'Create a one-time link to set a password',
    description: 'The link is shown only in this answer. An earlier link of the member becomes invalid.',
    answer: PasswordLinkView,
    problems: [404],
  })
  createPasswordLink(@Caller() caller: Principal, @Param('id') id: string): Promise<PasswordLinkView> {
    return this.members.createPasswordLink(caller, id);
  }
}
