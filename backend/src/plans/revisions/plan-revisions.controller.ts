import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../../common/http/etag.js';
import { Route } from '../../common/http/route.js';
import { DiffRevisionsQuery, RestoreRequest } from '../../revisions/revisions.dto.js';
import { PlanView } from '../plans.view.js';
import { PlanRestore } from './plan-restore.js';
import { PlanRevisionDiff } from './plan-revision-diff.js';
import { PlanRevisionDiffView } from './plan-revisions.view.js';

@ApiTags('Plans')
@Controller('api/plans')
export class PlanRevisionsController {
  constructor(
    private readonly diffs: PlanRevisionDiff,
    private readonly restores: PlanRestore,
  ) {}

  @Get(':id/revisions/:number/diff')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'diffPlanRevisions',
    summary: 'Compare two revisions of a plan',
    description:
      'Changes against the previous revision, or against `against`, which can be a later one: changed steps, variables and fields, and a line diff of the YAML. For the first revision, everything is new.',
    answer: PlanRevisionDiffView,
    problems: [400, 404],
  })
  diff(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number') number: string,
    @Query() { against }: DiffRevisionsQuery,
  ): Promise<PlanRevisionDiffView> {
    return this.diffs.between(caller, id, { number, against });
  }

  @Post(':id/restore')
  @Requires('operator', { reach: 'plan' })
  @AcceptsIfMatch()
  @Route({
    id: 'restorePlan',
    summary: 'Restore an earlier revision of a plan',
    description:
      'Creates a revision with that content, by the rules of a change. Name, description, environment and collection do not belong to a revision and do not change.',
    answer: PlanView,
    idempotent: true,
    problems: [400, 404, 409, 412, 413, 415, 422],
  })
  restore(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RestoreRequest,
    @IfMatch() version: number | null,
  ): Promise<PlanView> {
    return this.restores.restore(caller, id, body, version);
  }
}
