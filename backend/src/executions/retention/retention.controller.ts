import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { ExecutionView } from '../contract/execution.view.js';
import { DeleteExecution } from './delete-execution.js';
import { PinExecution } from './pin-execution.js';
import {
  DeleteRetentionRuleQuery,
  PinExecutionRequest,
  PreviewRetentionRequest,
  PutRetentionRuleRequest,
} from './retention.dto.js';
import { RetentionReader } from './retention.reader.js';
import { RetentionService } from './retention.service.js';
import { RequestedPassView, RetentionPreviewView, RetentionView } from './retention.view.js';

/** For how long runs are kept, and what they take. */
@ApiTags('Executions')
@Controller('api/retention')
export class RetentionController {
  constructor(
    private readonly reader: RetentionReader,
    private readonly retention: RetentionService,
  ) {}

  @Get()
  @Requires('admin')
  @Route({
    id: 'getRetention',
    summary: 'Get what runs store and for how long',
    description:
      'Finished runs and bytes of output by environment, the rules, and the next pass. Runs stay for ever unless a rule says otherwise.',
    answer: RetentionView,
  })
  get(@Caller() caller: Principal): Promise<RetentionView> {
    return this.reader.get(caller);
  }

  @Post('preview')
  @Requires('admin', { access: 'read', people: false })
  @Route({
    id: 'previewRetention',
    summary: 'Look at what a rule would delete',
    description:
      'What a pass would delete now, and how many due runs stay: those that have not ended (active), are pinned, hold hosts with unknown results (unresolved), are the last of their plan in the environment to succeed or to fail (last_succeeded, last_failed), or are repeated by a run that stays (referenced). Deletes nothing.',
    answer: RetentionPreviewView,
    status: 200,
    problems: [400, 404, 413, 415],
  })
  preview(@Caller() caller: Principal, @Body() body: PreviewRetentionRequest): Promise<RetentionPreviewView> {
    return this.retention.preview(caller, body);
  }

  @Post('pass')
  @Requires('admin', { people: false })
  @Route({
    id: 'requestRetentionPass',
    summary: 'Delete what is due as soon as possible',
    description:
      'A worker does by the rules what it otherwise does once a day, in small portions. Follow it by `pass` of `GET /api/retention`; the audit trail tells what it deleted.',
    answer: RequestedPassView,
    status: 202,
  })
  request(@Caller() caller: Principal): Promise<RequestedPassView> {
    return this.retention.request(caller);
  }

  @Put('rule')
  @Requires('admin', { people: true })
  @Route({
    id: 'putRetentionRule',
    summary: 'Set for how long runs are kept',
    description:
      'In each environment that has no rule of its own. What any limit says is too old goes with the next pass; with no limit runs stay for ever. 409 `confirmation_required` when more than half of the runs or bytes would go, unless `confirm`.',
    answer: RetentionView,
    problems: [400, 409, 413, 415],
  })
  put(@Caller() caller: Principal, @Body() body: PutRetentionRuleRequest): Promise<RetentionView> {
    return this.retention.put(caller, null, body);
  }

  @Put('environments/:id')
  @Requires('admin', { people: true })
  @Route({
    id: 'putEnvironmentRetentionRule',
    summary: 'Set for how long the runs of an environment are kept',
    description:
      'In place of the rule of the tenant; with no limit its runs stay for ever. 409 `confirmation_required` as there.',
    answer: RetentionView,
    problems: [400, 404, 409, 413, 415],
  })
  putOfEnvironment(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: PutRetentionRuleRequest,
  ): Promise<RetentionView> {
    return this.retention.put(caller, id, body);
  }

  @Delete('environments/:id')
  @Requires('admin', { people: true })
  @Route({
    id: 'deleteEnvironmentRetentionRule',
    summary: 'Have the rule of the tenant hold in an environment',
    description:
      '409 `confirmation_required` when more than half of its runs or bytes would go by it, unless `confirm`.',
    answer: null,
    problems: [400, 404, 409],
  })
  dropOfEnvironment(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() { confirm = false }: DeleteRetentionRuleQuery,
  ): Promise<void> {
    return this.retention.drop(caller, id, confirm);
  }
}

/** Keeping one run, and deleting it. */
@ApiTags('Executions')
@Controller('api/executions/:id')
export class ExecutionRetentionController {
  constructor(
    private readonly pins: PinExecution,
    private readonly deletions: DeleteExecution,
  ) {}

  @Delete()
  @Requires('admin', { reach: 'plan', people: 'by_content' })
  @Route({
    id: 'deleteExecution',
    summary: 'Delete a finished run',
    description:
      'With its output, events and results; it is gone at once, what it stored a little later. The audit trail keeps its digest, outcome, number of hosts and approvals, and who deleted it. In a protected environment, or where it was approved, only a person deletes it. 409 while it has not ended, is pinned, holds hosts with unknown results, or is repeated by other runs.',
    answer: null,
    problems: [404, 409],
  })
  delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.deletions.delete(caller, id);
  }

  @Put('pin')
  @Requires('operator', { reach: 'plan', people: 'by_content' })
  @Route({
    id: 'pinExecution',
    summary: 'Keep a run',
    description:
      'Neither retention nor a person deletes it until it is unpinned. What an admin pinned only admins unpin, and a legal hold takes two of them. On a run under a legal hold the call is for admins: it changes the note and ends a request to lift the hold.',
    answer: ExecutionView,
    problems: [400, 404, 409, 413, 415],
  })
  pin(@Caller() caller: Principal, @Param('id') id: string, @Body() body: PinExecutionRequest): Promise<ExecutionView> {
    return this.pins.pin(caller, id, body);
  }

  @Delete('pin')
  @Requires('operator', { reach: 'plan', people: 'by_content' })
  @Route({
    id: 'unpinExecution',
    summary: 'Let go of a run that was pinned',
    description:
      'A pin that an admin set is removed by an admin who is a person. Of a legal hold the first call requests that it is lifted; a second admin lifts it by the same call within seven days.',
    answer: ExecutionView,
    problems: [404, 409],
  })
  unpin(@Caller() caller: Principal, @Param('id') id: string): Promise<ExecutionView> {
    return this.pins.unpin(caller, id);
  }
}
