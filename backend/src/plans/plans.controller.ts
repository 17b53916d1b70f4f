import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { ListRevisionsQuery } from '../common/http/paging/page.dto.js';
import { Route } from '../common/http/route.js';
import {
  CreatePlanRequest,
  ListPlansQuery,
  PlanVariablesQuery,
  PreviewTargetsRequest,
  UpdatePlanRequest,
} from './plans.dto.js';
import { PlanVariablesReader } from './plan-variables.reader.js';
import { PlansService } from './plans.service.js';
import {
  PlanListView,
  PlanRevisionListView,
  PlanRevisionView,
  PlanVariablesView,
  PlanView,
  TargetsPreviewView,
} from './plans.view.js';
import { TargetsPreview } from './targets-preview.js';

@ApiTags('Plans')
@Controller('api/plans')
export class PlansController {
  constructor(
    private readonly plans: PlansService,
    private readonly targets: TargetsPreview,
    private readonly planVariables: PlanVariablesReader,
  ) {}

  @Get()
  @Requires('viewer', { reach: 'plan' })
  @Route({ id: 'listPlans', summary: 'List plans', answer: PlanListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListPlansQuery): Promise<PlanListView> {
    return this.plans.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer', { reach: 'plan' })
  @Route({ id: 'getPlan', summary: 'Get a plan with its latest revision', answer: PlanView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<PlanView> {
    return this.plans.get(caller, id);
  }

  @Post()
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'createPlan',
    summary: 'Create a plan',
    answer: PlanView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreatePlanRequest): Promise<PlanView> {
    return this.plans.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator', { reach: 'plan' })
  @AcceptsIfMatch()
  @Route({
    id: 'updatePlan',
    summary: 'Change a plan',
    description:
      'Every save creates a revision, except one that sends only `collectionId`. Existing runs keep their revision.',
    answer: PlanView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdatePlanRequest,
    @IfMatch() version: number | null,
  ): Promise<PlanView> {
    return this.plans.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator', { reach: 'plan' })
  @AcceptsIfMatch()
  @Route({
    id: 'deletePlan',
    summary: 'Delete a plan',
    description: 'Its runs are kept.',
    answer: null,
    problems: [404, 409, 412],
  })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.plans.delete(caller, id, version);
  }

  @Get(':id/revisions')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listPlanRevisions',
    summary: "List a plan's revisions",
    answer: PlanRevisionListView,
    problems: [400, 404],
  })
  revisions(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListRevisionsQuery,
  ): Promise<PlanRevisionListView> {
    return this.plans.revisions(caller, id, query);
  }

  @Get(':id/revisions/:number')
  @Requires('viewer', { reach: 'plan' })
  @Route({ id: 'getPlanRevision', summary: 'Get one revision of a plan', answer: PlanRevisionView, problems: [404] })
  revision(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number') number: string,
  ): Promise<PlanRevisionView> {
    return this.plans.revision(caller, id, number);
  }

  @Get(':id/variables')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'previewPlanVariables',
    summary: 'List the variable values of a start and their sources',
    description:
      'Precedence: plan default < environment < server < value in the start. With `serverId`, the values on that server. Without it, the values common to all servers, and the servers that override them. Also lists the variables that environment and servers export and the plan does not declare.',
    answer: PlanVariablesView,
    problems: [400, 404],
  })
  variables(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PlanVariablesQuery,
  ): Promise<PlanVariablesView> {
    return this.planVariables.read(caller, id, query);
  }

  @Post(':id/targets')
  @Requires('viewer', { reach: 'plan', access: 'read' })
  @Route({
    id: 'previewTargets',
    summary: 'List the hosts of a start',
    answer: TargetsPreviewView,
    problems: [400, 404, 413, 415],
  })
  previewTargets(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: PreviewTargetsRequest,
  ): Promise<TargetsPreviewView> {
    return this.targets.preview(caller, id, body);
  }
}
