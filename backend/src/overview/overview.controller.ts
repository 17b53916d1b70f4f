import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { Route } from '../common/http/route.js';
import { OverviewEnvironmentsQuery, OverviewMatrixQuery, OverviewTrendsQuery } from './overview.dto.js';
import { EnvironmentOverviewReader } from './environment-overview.reader.js';
import { OverviewReader } from './overview.reader.js';
import { ServerOverviewReader } from './server-overview.reader.js';
import {
  EnvironmentOverviewView,
  OverviewEnvironmentsView,
  OverviewMatrixView,
  OverviewTrendsView,
  OverviewView,
  ServerOverviewView,
} from './overview.view.js';

@ApiTags('Overview')
@Controller('api/overview')
export class OverviewController {
  constructor(
    private readonly overview: OverviewReader,
    private readonly environmentOverview: EnvironmentOverviewReader,
    private readonly serverOverview: ServerOverviewReader,
  ) {}

  @Get()
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'readOverview',
    summary: 'Read running runs and open failures',
    description:
      'Progress of the unfinished runs, and failures without a later success of the plan in the environment, in all environments that you can see.',
    answer: OverviewView,
  })
  read(@Caller() caller: Principal): Promise<OverviewView> {
    return this.overview.read(caller);
  }

  @Get('environments')
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'readEnvironmentOverviews',
    summary: 'Read the state of environments',
    description: 'Latest results by plan, health of hosts, run windows, next schedules and the last 30 days.',
    answer: OverviewEnvironmentsView,
    problems: [400],
  })
  environments(
    @Caller() caller: Principal,
    @Query() query: OverviewEnvironmentsQuery,
  ): Promise<OverviewEnvironmentsView> {
    return this.environmentOverview.list(caller, query);
  }

  @Get('environments/:id')
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'readEnvironmentOverview',
    summary: 'Read the state of an environment',
    description:
      'Latest result of each plan, health of hosts, run windows, freezes, next schedules, unfinished runs and open failures.',
    answer: EnvironmentOverviewView,
    problems: [404],
  })
  environment(@Caller() caller: Principal, @Param('id') id: string): Promise<EnvironmentOverviewView> {
    return this.environmentOverview.read(caller, id);
  }

  @Get('servers/:id')
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'readServerOverview',
    summary: 'Read the history of a server',
    description:
      'Runs of the last 30 days by their result on the server, the latest run of each plan, and changes of its state and facts. Dry runs do not count.',
    answer: ServerOverviewView,
    problems: [404],
  })
  server(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerOverviewView> {
    return this.serverOverview.read(caller, id);
  }

  @Get('matrix')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'readResultMatrix',
    summary: 'Read the latest result of each plan in each environment',
    answer: OverviewMatrixView,
    problems: [400],
  })
  matrix(@Caller() caller: Principal, @Query() query: OverviewMatrixQuery): Promise<OverviewMatrixView> {
    return this.overview.readMatrix(caller, query);
  }

  @Get('trends')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'readRunTrends',
    summary: 'Read runs, success and duration by day',
    description:
      'Days in UTC. Counts the newest 20,000 finished runs. Dry runs and cancelled, rejected or expired runs do not count.',
    answer: OverviewTrendsView,
    problems: [400],
  })
  trends(@Caller() caller: Principal, @Query() query: OverviewTrendsQuery): Promise<OverviewTrendsView> {
    return this.overview.readTrends(caller, query);
  }
}
