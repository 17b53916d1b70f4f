import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal, type RunwardRequest } from '../../common/access/principal.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { Route } from '../../common/http/route.js';
import { CancelExecution } from '../commands/cancel-execution.js';
import { StartExecution } from '../commands/start/start-execution.js';
import { StartExecutionRequest } from '../contract/execution.dto.js';
import {
  CountOutputHitsQuery,
  GetExecutionQuery,
  ListOutputQuery,
  ListPredictionsQuery,
  ListResultsQuery,
  ResultGridQuery,
  OutputWindowQuery,
  SearchOutputQuery,
  StreamQuery,
} from '../contract/queries.dto.js';
import { ExecutionListView, ExecutionView } from '../contract/execution.view.js';
import { CancelExecutionsRequest, CancelExecutionsView } from '../contract/steering.dto.js';
import { HostResultListView, HostResultView, OutputLineView, OutputView } from '../contract/results.view.js';
import { ExecutionWait } from '../queries/execution-wait.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { ListExecutionsQuery } from '../queries/run-filters.dto.js';
import { EventStream } from '../stream/event-stream.js';
import { STREAM_EVENTS } from '../stream/stream-events.view.js';
import { OutputReader } from '../stream/output.reader.js';
import { OutputSearchReader } from '../stream/search/output-search.reader.js';
import { OutputWindowReader } from '../stream/window/output-window.reader.js';
import { OutputWindowView } from '../contract/output-window.view.js';
import { OutputHitCountsView, OutputHitsView } from '../contract/output-hits.view.js';
import { FailureCausesReader } from '../results/failure-causes.reader.js';
import { FailureCausesView } from '../contract/failure-causes.view.js';
import { PredictionListView } from '../contract/predictions.view.js';
import { PredictionsReader } from '../results/predictions.reader.js';
import { InheritedReader } from '../results/inherited.reader.js';
import { InheritedResultListView } from '../contract/inherited.view.js';
import { ResultsExport } from '../results/results-export.js';
import { ResultGridView } from '../contract/result-grid.view.js';
import { ResultGridReader } from '../results/result-grid.reader.js';
import { ResultsReader } from '../results/results.reader.js';

const ALL_RESULTS = 'all matching results without a limit, streamed';
const ALL_OUTPUT = 'all matching output, streamed; at most 16 MiB per step and host (`RUNWARD_OUTPUT_LIMIT_BYTES`)';

@ApiTags('Executions')
@Controller('api/executions')
export class ExecutionsController {
  constructor(
    private readonly starts: StartExecution,
    private readonly cancels: CancelExecution,
    private readonly executions: ExecutionsReader,
    private readonly waits: ExecutionWait,
    private readonly resultsReader: ResultsReader,
    private readonly grids: ResultGridReader,
    private readonly resultsExport: ResultsExport,
    private readonly inheritedReader: InheritedReader,
    private readonly causes: FailureCausesReader,
    private readonly predictionsReader: PredictionsReader,
    private readonly outputReader: OutputReader,
    private readonly windows: OutputWindowReader,
    private readonly outputSearch: OutputSearchReader,
    private readonly streams: EventStream,
  ) {}

  @Post()
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'startExecution',
    summary: 'Start a run of a plan',
    description:
      'Returns the run like `GET /api/executions/{id}`. 409 `run_overlap` when another run holds one of its hosts or the plan in that environment, or waits for them; `conflicts` lists them. With `onOverlap: queue` the run waits in the queue; with `startAt` it waits for its start time. Its status is then PENDING, and `queue` contains the reason.',
    answer: ExecutionView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  start(@Caller() caller: Principal, @Body() body: StartExecutionRequest): Promise<ExecutionView> {
    return this.starts.start(caller, body);
  }

  @Post('cancel')
  @HttpCode(200)
  @Requires('admin', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'cancelExecutions',
    summary: 'Cancel all unfinished runs that match a filter',
    description:
      'Cancels the newest 100 matches, each separately; `more` is true when more runs match. At least one of `environmentId`, `planId`, `startedById` and `labels` is required. Runs that end before they are cancelled are not in the answer.',
    answer: CancelExecutionsView,
    problems: [400, 404, 413, 415],
  })
  cancelMatching(@Caller() caller: Principal, @Body() body: CancelExecutionsRequest): Promise<CancelExecutionsView> {
    return this.cancels.cancelMatchingRuns(caller, body);
  }

  @Get()
  @Requires('viewer', { reach: 'plan' })
  @Route({ id: 'listExecutions', summary: 'List runs, newest first', answer: ExecutionListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListExecutionsQuery): Promise<ExecutionListView> {
    return this.executions.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'getExecution',
    summary: 'Get a run with its steps and hosts',
    description:
      'With `wait`, the answer is delayed until the event in `until`, for at most that many seconds. Use it instead of frequent polling.',
    answer: ExecutionView,
    problems: [400, 404],
  })
  get(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: GetExecutionQuery,
    @Req() request: Request & RunwardRequest,
  ): Promise<ExecutionView> {
    return this.waits.getWhenReached(caller, id, query, request);
  }

  @Get(':id/results')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listResults',
    summary: 'List the result of each step on each host',
    description:
      'JSON pages. With `Accept: application/xml`: all matching results as a JUnit report (one suite per step, one test case per host, and the case `Run`, which has an error unless the run succeeded). With `Accept: application/x-ndjson`: all matching results, one JSON object per line.',
    answer: HostResultListView,
    files: [
      { media: 'application/xml', size: ALL_RESULTS, named: true },
      { media: 'application/x-ndjson', size: ALL_RESULTS, named: true, items: HostResultView },
    ],
    problems: [400, 404],
  })
  async results(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListResultsQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<HostResultListView | undefined> {
    switch (request.accepts(['application/json', 'application/xml', 'application/x-ndjson'])) {
      case 'application/xml':
        return this.resultsExport.sendJunit(caller, id, query, response);
      case 'application/x-ndjson':
        return this.resultsExport.sendNdjson(caller, id, query, response);
      default:
        return this.resultsReader.list(caller, id, query);
    }
  }

  @Get(':id/results/grid')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'readResultGrid',
    summary: 'Read the results of all steps on all hosts in compact form',
    description:
      'Without times and output. An answer has at most 300,000 results, usually the whole run. If it has more, `nextHost` is the position at which the next answer begins. For the details of a result use `GET /api/executions/{id}/results`.',
    answer: ResultGridView,
    problems: [400, 404],
  })
  resultGrid(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ResultGridQuery,
  ): Promise<ResultGridView> {
    return this.grids.read(caller, id, query.fromHost ?? 0, query.limit);
  }

  @Get(':id/inherited-results')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listInheritedResults',
    summary: 'List results that a rerun inherited',
    answer: InheritedResultListView,
    problems: [400, 404],
  })
  inherited(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<InheritedResultListView> {
    return this.inheritedReader.list(caller, id, query);
  }

  @Get(':id/failure-causes')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listFailureCauses',
    summary: 'List the failures of a run by cause',
    description:
      'Hosts that failed in the same step with the same status, exit code and text have the same cause. Numbers and host names in the text do not matter.',
    answer: FailureCausesView,
    problems: [404],
  })
  failureCauses(@Caller() caller: Principal, @Param('id') id: string): Promise<FailureCausesView> {
    return this.causes.read(caller, id);
  }

  @Get(':id/predictions')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listPredictions',
    summary: 'List the predictions of a dry run',
    description:
      'Hosts with the same verdict, reason and predicted change in a step form one item. Empty for other runs.',
    answer: PredictionListView,
    problems: [400, 404],
  })
  predictions(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListPredictionsQuery,
  ): Promise<PredictionListView> {
    return this.predictionsReader.list(caller, id, query);
  }

  @Get(':id/output')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listOutput',
    summary: 'List output lines',
    description:
      'JSON pages of numbered lines. With `Accept: text/plain`: all matching output as text. With `Accept: application/x-ndjson`: all matching output, one JSON object per line with the fields of a page item.',
    answer: OutputView,
    files: [
      { media: 'text/plain', size: ALL_OUTPUT, named: true },
      { media: 'application/x-ndjson', size: ALL_OUTPUT, named: true, items: OutputLineView },
    ],
    problems: [400, 404],
  })
  async output(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListOutputQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OutputView | undefined> {
    switch (request.accepts(['application/json', 'text/plain', 'application/x-ndjson'])) {
      case 'text/plain':
        return this.outputReader.download(caller, id, query, { response, form: 'text' });
      case 'application/x-ndjson':
        return this.outputReader.download(caller, id, query, { response, form: 'ndjson' });
      default:
        return this.outputReader.list(caller, id, query);
    }
  }

  @Get(':id/output/window')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'readOutputWindow',
    summary: 'Read output lines around a position',
    description:
      'Lines of a step on a host (`stepKey` and `serverId`), of a step, of a host, or of the whole run, in blocks. The cost does not depend on the amount of output. With `stepKey` and `serverId`, positions are line numbers. Otherwise they count the lines of the run in the order in which they were stored. Lines of another step, host or stream leave gaps.',
    answer: OutputWindowView,
    problems: [400, 404],
  })
  outputWindow(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: OutputWindowQuery,
  ): Promise<OutputWindowView> {
    return this.windows.read(caller, id, query);
  }

  @Get(':id/output/hits')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'searchOutput',
    summary: 'Search the output',
    description:
      'Lines that contain a text or match a regular expression, with the lines around them, in the order of storage. A request scans a limited part of the output: continue with `nextAfter` until `readPercent` is 100.',
    answer: OutputHitsView,
    problems: [400, 404],
  })
  searchOutput(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: SearchOutputQuery,
  ): Promise<OutputHitsView> {
    return this.outputSearch.search(caller, id, query);
  }

  @Get(':id/output/hits/counts')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'countOutputHits',
    summary: 'Count hits by host and step',
    description:
      'Number of lines that contain a text or match a regular expression. A request counts in a limited part of the output: add up the answers, and continue with `nextAfter` until `readPercent` is 100.',
    answer: OutputHitCountsView,
    problems: [400, 404],
  })
  countOutputHits(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: CountOutputHitsQuery,
  ): Promise<OutputHitCountsView> {
    return this.outputSearch.count(caller, id, query);
  }

  @Get(':id/stream')
  @Requires('viewer', { reach: 'plan' })
  @ApiResponse({ status: 204, description: 'The run has ended and the client has received its last event.' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'ID of the last received event.' })
  @Route({
    id: 'streamExecution',
    summary: 'Stream events of a run',
    description:
      'Server-sent events with ascending IDs. `event` is the type of the event and selects the schema of `data`. `Last-Event-ID` or `after` resumes without lost or repeated events. The stream closes after `execution.finished`. A client that reconnects after that event gets 204.',
    answer: null,
    files: [{ media: 'text/event-stream', size: 'without a limit, until the run ends', items: STREAM_EVENTS }],
    problems: [400, 404],
  })
  async stream(
    @Param('id') id: string,
    @Query() query: StreamQuery,
    @Req() request: Request & RunwardRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.openStream(id, query.after, request, response);
  }
}
