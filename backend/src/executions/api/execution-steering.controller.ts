import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
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
import { PauseAnswersView, RunPermissionsView } from '../contract/run-people.view.js';
import { RunPeopleReader } from '../notices/run-people.reader.js';
import { ReviewView } from '../contract/review.view.js';
import { ComparisonReader } from '../review/comparison.reader.js';
import {
  CompareExecutionQuery,
  ComparedHostsView,
  CompareHostsQuery,
  RunComparisonView,
  UsualStepDurationQuery,
  UsualStepDurationView,
} from '../contract/run-comparison.view.js';

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
    private readonly comparisons: ComparisonReader,
    private readonly people: RunPeopleReader,
  ) {}

  @Get('review')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'reviewExecution',
    summary: 'Get the review of a run',
    description:
      'The evidence for an approval or decision: hosts, rendered steps, variables, and differences from the last successful run of the plan in the environment.',
    answer: ReviewView,
    problems: [404],
  })
  review(@Caller() caller: Principal, @Param('id') id: string): Promise<ReviewView> {
    return this.reviews.readReview(caller, id);
  }

  @Get('comparison')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'compareExecution',
    summary: 'Compare a run with an earlier run',
    description:
      'Differences of content (steps, scripts, templates, variables, hosts, settings), and the result and duration of each step in both runs. The runs may belong to different plans and environments. A secret is only reported as added, removed or changed.',
    answer: RunComparisonView,
    problems: [400, 404],
  })
  comparison(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: CompareExecutionQuery,
  ): Promise<RunComparisonView> {
    return this.comparisons.compare(caller, id, query);
  }

  @Get('comparison/hosts')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'compareExecutionHosts',
    summary: 'Compare the hosts of a run with those of an earlier run',
    description: 'Status and duration of each host in both runs, or those of one step. Use `q` to find other hosts.',
    answer: ComparedHostsView,
    problems: [400, 404],
  })
  comparisonOfHosts(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: CompareHostsQuery,
  ): Promise<ComparedHostsView> {
    return this.comparisons.compareHosts(caller, id, query);
  }

  @Get('usual-duration')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'getUsualStepDuration',
    summary: 'Get the usual duration of a step on a host',
    description:
      'Median over the last successful runs of the plan in the environment before this run. Compare it with `startedAt` and `finishedAt` of a result.',
    answer: UsualStepDurationView,
    problems: [400, 404],
  })
  usualDuration(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: UsualStepDurationQuery,
  ): Promise<UsualStepDurationView> {
    return this.comparisons.readUsualStepDuration(caller, id, query);
  }

  @Get('permissions')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'getExecutionPermissions',
    summary: 'Get the people who may act on a run',
    description: 'Names a few of the people who may control, approve or administer the run, with the rule.',
    answer: RunPermissionsView,
    problems: [404],
  })
  permissions(@Caller() caller: Principal, @Param('id') id: string): Promise<RunPermissionsView> {
    return this.people.readPermissions(caller, id);
  }

  @Get('decisions')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listDecisions',
    summary: 'List the answers to the pauses of a run',
    description: 'Who answered what and when, with comments. Approvals are in `approval.decisions` of the run.',
    answer: PauseAnswersView,
    problems: [404],
  })
  decisions(@Caller() caller: Principal, @Param('id') id: string): Promise<PauseAnswersView> {
    return this.people.readAnswers(caller, id);
  }

  @Post('approve')
  @Requires('viewer', { reach: 'plan', people: true })
  @Route({
    id: 'approveExecution',
    summary: 'Approve a run',
    description:
      'Needs the grant `approve` in its environment or the role admin, and the reviewed digest. 403 `self_approval` for the member who started the run, created the token that started it, wrote the content of its schedule, or saved a revision of its plan, script or template since the last approved run there. 409 `digest_changed` when the run has changed since the review.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  approve(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ApproveExecutionRequest,
  ): Promise<ExecutionView> {
    return this.approvals.approveRun(caller, id, body);
  }

  @Post('reject')
  @Requires('viewer', { reach: 'plan', people: true })
  @Route({
    id: 'rejectExecution',
    summary: 'Reject a run',
    description: 'Ends the run as REJECTED before it touches a host. Needs the same rights as an approval.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  reject(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RejectExecutionRequest,
  ): Promise<ExecutionView> {
    return this.approvals.rejectRun(caller, id, body);
  }

  @Post('withdraw-approval')
  @Requires('viewer', { reach: 'plan', people: true })
  @Route({
    id: 'withdrawApproval',
    summary: 'Withdraw your approval while the run still waits',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409],
  })
  withdraw(@Caller() caller: Principal, @Param('id') id: string): Promise<ExecutionView> {
    return this.approvals.withdrawApproval(caller, id);
  }

  @Post('decisions')
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'decideExecution',
    summary: 'Answer a pause of a run',
    description:
      '`action` must be one of `pause.choices`. 409 with `choices` when the run now waits for something else.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  decide(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: DecideExecutionRequest,
  ): Promise<ExecutionView> {
    return this.answers.answerPause(caller, id, body);
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
    return this.steering.requestPause(caller, id);
  }

  @Post('mode')
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'switchExecutionMode',
    summary: 'Change the mode of a run to ask fewer questions',
    description:
      'From `interactive` to `semi_assisted` or `auto`, or from `semi_assisted` to `auto`. A current pause still needs its answer.',
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
    summary: "Start a run despite a freeze of its plan's collection",
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
    summary: 'Start a run outside the run windows of its environment',
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
      'Runward asks running commands to stop, then kills them. Cancelling again has no effect. 409 when the run has finished.',
    answer: ExecutionView,
    idempotent: true,
    problems: [400, 404, 409, 413, 415],
  })
  cancel(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: CancelExecutionRequest,
  ): Promise<ExecutionView> {
    return this.cancels.cancelRun(caller, id, body.reason);
  }

  @Post('rerun')
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'rerunExecution',
    summary: 'Rerun a finished run',
    description:
      'Creates a run with `parentId`: on all hosts, failed hosts, or hosts with unfinished steps; optionally from a step; with the snapshot of the run or the current content. Results of skipped steps are inherited. 409 `missing_results` lists hosts and steps without such results, unless `acceptGaps` is sent. The new run needs its own approval.',
    answer: ExecutionView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  rerun(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RerunExecutionRequest,
  ): Promise<ExecutionView> {
    return this.reruns.rerunExecution(caller, id, body);
  }

  @Post('rerun/preview')
  @HttpCode(200)
  @Requires('operator', { reach: 'plan', access: 'read', people: false })
  @Route({
    id: 'previewRerun',
    summary: 'Preview a rerun',
    description:
      'Accepts the body of a rerun and starts nothing. Returns the steps and their number of hosts, the steps that would run again, those that would have no result, and the missing results that steps need.',
    answer: RerunPreviewView,
    problems: [400, 404, 409, 413, 415],
  })
  previewRerun(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RerunExecutionRequest,
  ): Promise<RerunPreviewView> {
    return this.reruns.previewRerun(caller, id, body);
  }

  @Post('hosts/:serverId/resolve')
  @HttpCode(200)
  @Requires('operator', { reach: 'plan', people: false })
  @Route({
    id: 'resolveHost',
    summary: 'Resolve an unknown command result',
    description:
      'Until then the host keeps its guard key, and no other run can use it. `check` reads the host journal again in the background. `run_again` returns the new run.',
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
    return this.resolutions.resolveHost(caller, id, serverId, body);
  }
}
