import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { AnswerPause } from '../commands/answer-pause.js';
import { CancelExecution } from '../commands/cancel-execution.js';
import { DecideApproval } from '../commands/decide-approval.js';
import { RerunExecution } from '../commands/start/rerun-execution.js';
import { RerunPreviewView } from '../contract/rerun-preview.view.js';
import { ResolveHost } from '../commands/resolve-host.js';
import { SteerExecution } from '../commands/steer-execution.js';
import { RerunExecutionRequest } from '../contract/execution.dto.js';
import {
  ApproveExecutionRequest,
  CancelExecutionRequest,
  DecideExecutionRequest,
  OverrideFreezeRequest,
  OverrideWindowRequest,
  RejectExecutionRequest,
  ResolveHostRequest,
  SwitchModeRequest,
} from '../contract/steering.dto.js';
import { ExecutionView } from '../contract/execution.view.js';
import { ReviewReader } from '../review/review.reader.js';
import { ReviewView } from '../contract/review.view.js';

/** What people do to a run that was accepted. */
@ApiTags('Executions')
@Controller('api/executions/:id')
export class ExecutionSteeringController {
  constructor(
    private readonly approvals: DecideApproval,
    private readonly answers: AnswerPause,
    private readonly steering: SteerExecution,
    private readonly cancels: CancelExecution,
    private readonly reruns: RerunExecution,
    private readonly resolutions: ResolveHost,
    private readonly reviews: ReviewReader,
  ) {}

  @Get('review')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'reviewExecution',
    summary: 'Look at what a run would do',
    description:
      'The evidence for an approval or a decision: hosts, rendered steps, variables, and what differs from the last run of the plan there that succeeded.',
    answer: ReviewView,
    problems: [404],
  })
  review(@Caller() caller: Principal, @Param('id') id: string): Promise<ReviewView> {
    return this.reviews.read(caller, id);
  }

  @Post('approve')
  @Requires('viewer', { reach: 'plan', people: true })
  @Route({
    id: 'approveExecution',
    summary: 'Approve a run',
    description:
      'Needs the grant `approve` in its environment, or the role admin, and the digest that was looked at. 403 `self_approval` for who started the run, created the token that started it, wrote what its schedule runs, or saved a revision of its plan, or of a script or template of it, that has not run approved there; 409 `digest_changed` when the run is no longer what was looked at.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  approve(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ApproveExecutionRequest,
  ): Promise<ExecutionView> {
    return this.approvals.approve(caller, id, body);
  }

  @Post('reject')
  @Requires('viewer', { reach: 'plan', people: true })
  @Route({
    id: 'rejectExecution',
    summary: 'Reject a run',
    description: 'Ends it as REJECTED before any host was touched. Needs what an approval needs.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  reject(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RejectExecutionRequest,
  ): Promise<ExecutionView> {
    return this.approvals.reject(caller, id, body);
  }

  @Post('withdraw-approval')
  @Requires('viewer', { reach: 'plan', people: true })
  @Route({
    id: 'withdrawApproval',
    summary: 'Take back your approval while the run still waits',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409],
  })
  withdraw(@Caller() caller: Principal, @Param('id') id: string): Promise<ExecutionView> {
    return this.approvals.withdraw(caller, id);
  }

  @Post('decisions')
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'decideExecution',
    summary: 'Answer a pause inside a run',
    description: '`action` is one of `pause.choices`. 409 with `choices` when the run waits for something else by now.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  decide(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: DecideExecutionRequest,
  ): Promise<ExecutionView> {
    return this.answers.answer(caller, id, body);
  }

  @Post('pause')
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'pauseExecution',
    summary: 'Pause a run at its next step boundary',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409],
  })
  pause(@Caller() caller: Principal, @Param('id') id: string): Promise<ExecutionView> {
    return this.steering.pause(caller, id);
  }

  @Post('mode')
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'switchExecutionMode',
    summary: 'Let a run ask fewer questions',
    description:
      'interactive to semi_assisted or auto, semi_assisted to auto. A pause that the run is in still wants its answer.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  mode(@Caller() caller: Principal, @Param('id') id: string, @Body() body: SwitchModeRequest): Promise<ExecutionView> {
    return this.steering.switchMode(caller, id, body.execution_mode);
  }

  @Post('freeze-override')
  @Requires('admin', { reach: 'plan', people: false })
  @Route({
    id: 'overrideExecutionFreeze',
    summary: "Let a run begin in spite of a freeze of its plan's collection",
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  overrideFreeze(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: OverrideFreezeRequest,
  ): Promise<ExecutionView> {
    return this.steering.overrideFreeze(caller, id, body.reason);
  }

  @Post('window-override')
  @Requires('admin', { reach: 'plan', people: false })
  @Route({
    id: 'overrideExecutionWindow',
    summary: 'Let a run begin outside of the run windows of its environment',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  overrideWindow(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: OverrideWindowRequest,
  ): Promise<ExecutionView> {
    return this.steering.overrideWindow(caller, id, body.reason);
  }

  @Post('cancel')
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'cancelExecution',
    summary: 'Cancel a run',
    description:
      'Running commands are stopped, politely first. A run that is being cancelled already stays as it is; a finished one answers 409.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  cancel(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: CancelExecutionRequest,
  ): Promise<ExecutionView> {
    return this.cancels.cancel(caller, id, body.reason);
  }

  @Post('rerun')
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'rerunExecution',
    summary: 'Run a finished run again',
    description:
      'A new run with `parentId`: on all hosts, those that failed, or those that lack steps; from a step on, of what the run froze or of what there is now. Results of steps that it leaves out are taken over. 409 `missing_results` names hosts and steps that have none to take over, unless `acceptGaps`. Approval is asked again.',
    answer: ExecutionView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  rerun(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RerunExecutionRequest,
  ): Promise<ExecutionView> {
    return this.reruns.rerun(caller, id, body);
  }

  @Post('rerun/preview')
  @HttpCode(200)
  @Requires('operator', { reach: 'plan', access: 'read', people: false })
  @Route({
    id: 'previewRerun',
    summary: 'See what a rerun would do',
    description:
      'Takes the body of a rerun and starts nothing: which steps would run on how many hosts, what would be repeated, what would be left without a result, and what steps would look for in vain.',
    answer: RerunPreviewView,
    problems: [400, 404, 409, 413, 415],
  })
  previewRerun(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RerunExecutionRequest,
  ): Promise<RerunPreviewView> {
    return this.reruns.preview(caller, id, body);
  }

  @Post('hosts/:serverId/resolve')
  @HttpCode(200)
  @Requires('operator', { reach: 'plan', people: false })
  @Route({
    id: 'resolveHost',
    summary: 'Say what became of a command whose result is unknown',
    description:
      'Until then the host keeps its guard and no other run may use it. `check` asks the host once more, in the background; `run_again` answers with the new run.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  resolve(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('serverId') serverId: string,
    @Body() body: ResolveHostRequest,
  ): Promise<ExecutionView> {
    return this.resolutions.resolve(caller, id, serverId, body);
  }
}
