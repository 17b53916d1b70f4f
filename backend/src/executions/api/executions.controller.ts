import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal, type RunwardRequest } from '../../common/access/principal.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { Route } from '../../common/http/route.js';
import { CancelExecution } from '../commands/cancel-execution.js';
import { StartExecution } from '../commands/start/start-execution.js';
import { StartExecutionRequest } from '../contract/execution.dto.js';
import {
  GetExecutionQuery,
  ListExecutionsQuery,
  ListOutputQuery,
  ListResultsQuery,
  StreamQuery,
} from '../contract/queries.dto.js';
import { ExecutionListView, ExecutionView } from '../contract/execution.view.js';
import { CancelExecutionsRequest, CancelExecutionsView } from '../contract/steering.dto.js';
import { HostResultListView, OutputView } from '../contract/results.view.js';
import { ExecutionWait } from '../queries/execution-wait.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { EventStream } from '../stream/event-stream.js';
import { STREAM_EVENTS } from '../stream/stream-events.view.js';
import { OutputReader } from '../stream/output.reader.js';
import { InheritedReader } from '../results/inherited.reader.js';
import { InheritedResultListView } from '../contract/inherited.view.js';
import { ResultsExport } from '../results/results-export.js';
import { ResultsReader } from '../results/results.reader.js';

@ApiTags('Executions')
@Controller('api/executions')
export class ExecutionsController {
  constructor(
    private readonly starts: StartExecution,
    private readonly cancels: CancelExecution,
    private readonly executions: ExecutionsReader,
    private readonly waits: ExecutionWait,
    private readonly resultsReader: ResultsReader,
    private readonly resultsExport: ResultsExport,
    private readonly inheritedReader: InheritedReader,
    private readonly outputReader: OutputReader,
    private readonly streams: EventStream,
  ) {}

  @Post()
  @Requires('operator', { reach: 'plan', access: 'run', people: false })
  @Route({
    id: 'startExecution',
    summary: 'Start a run of a plan',
    description:
      'The answer is the run as GET gives it. 409 `run_overlap` when another run holds one of its hosts, or the plan in that environment, or waits for them; `conflicts` names them. With `onOverlap: queue` it is accepted and waits for its turn, with `startAt` for its time: PENDING, with `queue` telling for what.',
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
      'The newest 100 that match are cancelled, each by itself; `more` says whether further ones match. At least one of `environmentId`, `planId`, `startedById` and `labels` is required. Runs that end meanwhile are left out of the answer.',
    answer: CancelExecutionsView,
    problems: [400, 404, 413, 415],
  })
  cancelMatching(@Caller() caller: Principal, @Body() body: CancelExecutionsRequest): Promise<CancelExecutionsView> {
    return this.cancels.cancelMatching(caller, body);
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
      'With `wait` the answer comes when what `until` names has happened, at the latest after so many seconds: no need to poll in a hurry.',
    answer: ExecutionView,
    problems: [400, 404],
  })
  get(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: GetExecutionQuery,
    @Req() request: Request & RunwardRequest,
  ): Promise<ExecutionView> {
    return this.waits.get(caller, id, query, request);
  }

  @Get(':id/results')
  @Requires('viewer', { reach: 'plan' })
  @ApiProduces('application/json', 'application/xml', 'application/x-ndjson')
  @Route({
    id: 'listResults',
    summary: 'List what became of each step on each host',
    description:
      'JSON pages; with `Accept: application/xml` all that the filters leave as a JUnit report (a suite for each step, a test case for each host), with `Accept: application/x-ndjson` as one JSON object a line.',
    answer: HostResultListView,
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
        return this.resultsExport.junit(caller, id, query, response);
      case 'application/x-ndjson':
        return this.resultsExport.ndjson(caller, id, query, response);
      default:
        return this.resultsReader.list(caller, id, query);
    }
  }

  @Get(':id/inherited-results')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listInheritedResults',
    summary: 'List the results that a run took over from the one that it continues',
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

  @Get(':id/output')
  @Requires('viewer', { reach: 'plan' })
  @ApiProduces('application/json', 'text/plain', 'application/x-ndjson')
  @Route({
    id: 'listOutput',
    summary: 'Read output lines',
    description:
      'JSON pages of numbered lines; with `Accept: text/plain` all of the output that the filters leave, as text; with `Accept: application/x-ndjson` the same as one JSON object a line, each with the fields that it has in a page.',
    answer: OutputView,
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

  @Get(':id/stream')
  @Requires('viewer', { reach: 'plan' })
  @ApiResponse({ status: 204, description: 'The run is over and the client has seen its last event.' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Id of the last event that was seen.' })
  @Route({
    id: 'streamExecution',
    summary: 'Follow a run live',
    description:
      'Server-sent events with ascending ids; `event` names the kind, `data` is one of the objects of the schema, whose description names that kind. `Last-Event-ID` or `after` goes on without loss or doubling. Closes after `execution.finished`; a client that comes back after that event gets 204.',
    answer: null,
    items: { media: 'text/event-stream', type: STREAM_EVENTS },
    problems: [400, 404],
  })
  async stream(
    @Param('id') id: string,
    @Query() query: StreamQuery,
    @Req() request: Request & RunwardRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.open(id, query.after, request, response);
  }
}
