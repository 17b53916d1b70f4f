import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { ProtectionChangeListView, ProtectionChangeView } from '../protection/protection-changes.view.js';
import {
  CreateProtectionChangeRequest,
  DecideProtectionChangeRequest,
  ListOpenProtectionChangesQuery,
  ListProtectionChangesQuery,
} from './protection-changes.dto.js';
import { ProtectionChangesService } from './protection-changes.service.js';

@ApiTags('Environments')
@Controller('api/protection-changes')
export class OpenProtectionChangesController {
  constructor(private readonly changes: ProtectionChangesService) {}

  @Get()
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'listOpenProtectionChanges',
    summary: 'List open protection changes of all environments',
    description: 'Changes that wait for a second person or for their delay, newest first. Expired ones are not listed.',
    answer: ProtectionChangeListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListOpenProtectionChangesQuery): Promise<ProtectionChangeListView> {
    return this.changes.listOpen(caller, query);
  }
}

@ApiTags('Environments')
@Controller('api/environments/:id/protection-changes')
export class ProtectionChangesController {
  constructor(private readonly changes: ProtectionChangesService) {}

  @Get()
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'listProtectionChanges',
    summary: "List changes that weaken an environment's protection",
    description: 'Newest first.',
    answer: ProtectionChangeListView,
    problems: [400, 404],
  })
  list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListProtectionChangesQuery,
  ): Promise<ProtectionChangeListView> {
    return this.changes.list(caller, id, query);
  }

  @Post()
  @Requires('admin', { reach: 'environment', people: true })
  @Route({
    id: 'createProtectionChange',
    summary: "Request a change that weakens an environment's protection",
    description:
      'It takes effect when another approver agrees. Where no other approver is independent of the caller, the caller can apply it after `protectionDelaySeconds`. With `override` it takes effect at once.',
    answer: ProtectionChangeView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: CreateProtectionChangeRequest,
  ): Promise<ProtectionChangeView> {
    return this.changes.create(caller, id, body);
  }

  @Post(':changeId/agree')
  @Requires('viewer', { reach: 'environment', people: true })
  @Route({
    id: 'agreeProtectionChange',
    summary: 'Agree to a protection change',
    description:
      'The settings change at once. The answer is 403 `second_person_required` for the requester, unless the delay is over, and for members tied to the requester.',
    answer: ProtectionChangeView,
    problems: [400, 404, 409, 413, 415],
  })
  agree(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('changeId') changeId: string,
    @Body() { comment }: DecideProtectionChangeRequest,
  ): Promise<ProtectionChangeView> {
    return this.changes.agreeToChange(caller, id, changeId, comment ?? null);
  }

  @Post(':changeId/reject')
  @Requires('viewer', { reach: 'environment', people: true })
  @Route({
    id: 'rejectProtectionChange',
    summary: 'Reject or withdraw a protection change',
    description: 'The requester withdraws it; another approver rejects it.',
    answer: ProtectionChangeView,
    problems: [400, 404, 409, 413, 415],
  })
  reject(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('changeId') changeId: string,
    @Body() { comment }: DecideProtectionChangeRequest,
  ): Promise<ProtectionChangeView> {
    return this.changes.rejectChange(caller, id, changeId, comment ?? null);
  }
}
