import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, TakesIfMatch } from '../../common/http/if-match.js';
import { Route } from '../../common/http/route.js';
import { DiffRevisionsQuery, RestoreRequest } from '../../common/revisions/revisions.dto.js';
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
    summary: 'Tell what differs between two revisions of a plan',
    description:
      'What the revision changed against the one before, or against `against`, which may be a later one: by the steps, variables and fields that differ, and line by line of the YAML. Of the first revision all is new.',
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
  @TakesIfMatch()
  @Route({
    id: 'restorePlan',
    summary: 'Let a plan say again what it said in an earlier revision',
    description:
      'Makes a new revision of that content, by the rules of a change. Name, description, environment and collection are no part of a revision, and stay.',
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
