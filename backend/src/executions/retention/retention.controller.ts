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
    summary: 'Get stored runs and retention rules',
    description:
      'Finished runs and bytes of output by environment, the rules, and the next pass. Without a rule, runs are kept forever.',
    answer: RetentionView,
  })
  get(@Caller() caller: Principal): Promise<RetentionView> {
    return this.reader.get(caller);
  }

  @Post('preview')
  @Requires('admin', { access: 'read', people: false })
  @Route({
    id: 'previewRetention',
    summary: 'Preview a retention rule',
    description:
      'Returns what a pass would delete now. It also counts due runs that would be kept, by reason: not ended (active), pinned, hosts with unknown results (unresolved), last successful or failed run of their plan in the environment (last_succeeded, last_failed), or a rerun that is kept (referenced). Deletes nothing.',
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
    summary: 'Request a retention pass',
    description:
      'A worker applies the rules as soon as possible, in small batches, instead of once a day. `pass` of `GET /api/retention` reports its progress; the audit trail records what it deleted.',
    answer: RequestedPassView,
    status: 202,
  })
  request(@Caller() caller: Principal): Promise<RequestedPassView> {
    return this.retention.requestPass(caller);
  }

  @Put('rule')
  @Requires('admin', { people: true })
  @Route({
    id: 'putRetentionRule',
    summary: 'Set the default retention rule',
    description:
      'Applies to environments without their own rule. The next pass deletes runs that exceed any limit. Without limits, runs are kept forever. 409 `confirmation_required` when it would delete more than half of the runs or bytes, unless `confirm` is sent.',
    answer: RetentionView,
    problems: [400, 409, 413, 415],
  })
  put(@Caller() caller: Principal, @Body() body: PutRetentionRuleRequest): Promise<RetentionView> {
    return this.retention.putRule(caller, null, body);
  }

  @Put('environments/:id')
  @Requires('admin', { people: true })
  @Route({
    id: 'putEnvironmentRetentionRule',
    summary: 'Set the retention rule of an environment',
    description:
      'Overrides the default rule of the tenant. Without limits, its runs are kept forever. 409 `confirmation_required` as for the default rule.',
    answer: RetentionView,
    problems: [400, 404, 409, 413, 415],
  })
  putOfEnvironment(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: PutRetentionRuleRequest,
  ): Promise<RetentionView> {
    return this.retention.putRule(caller, id, body);
  }

  @Delete('environments/:id')
  @Requires('admin', { people: true })
  @Route({
    id: 'deleteEnvironmentRetentionRule',
    summary: 'Delete the retention rule of an environment',
    description:
      'The default rule of the tenant applies again. 409 `confirmation_required` when that would delete more than half of its runs or bytes, unless `confirm` is sent.',
    answer: null,
    problems: [400, 404, 409],
  })
  dropOfEnvironment(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() { confirm = false }: DeleteRetentionRuleQuery,
  ): Promise<void> {
    return this.retention.dropRule(caller, id, confirm);
  }
}

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
      'Also deletes its output, events and results. The run disappears at once, its stored data a little later. The audit trail keeps its digest, outcome, number of hosts and approvals, and who deleted it. Only a person can delete a run that was approved or ran in a protected environment. 409 if the run has not ended, is pinned, has hosts with unknown results, or has reruns.',
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
    summary: 'Pin a run',
    description:
      'Neither retention nor a person can delete a pinned run. Only admins can unpin a run that an admin pinned. A legal hold needs two admins. On a run under a legal hold, only admins can call this: it changes the note and cancels a request to lift the hold.',
    answer: ExecutionView,
    problems: [400, 404, 409, 413, 415],
  })
  pin(@Caller() caller: Principal, @Param('id') id: string, @Body() body: PinExecutionRequest): Promise<ExecutionView> {
    return this.pins.pinExecution(caller, id, body);
  }

  @Delete('pin')
  @Requires('operator', { reach: 'plan', people: 'by_content' })
  @Route({
    id: 'unpinExecution',
    summary: 'Unpin a run',
    description:
      'Removing a pin that an admin set needs an admin who is a person. For a legal hold, the first call requests to lift it; a second admin lifts it with the same call within seven days.',
    answer: ExecutionView,
    problems: [404, 409],
  })
  unpin(@Caller() caller: Principal, @Param('id') id: string): Promise<ExecutionView> {
    return this.pins.unpinExecution(caller, id);
  }
}
