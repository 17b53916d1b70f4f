import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../../common/http/etag.js';
import { Route } from '../../common/http/route.js';
import { CheckPlanRequest, ExportPlanQuery, ImportPlansRequest } from './exchange.dto.js';
import { PlanCheckView, PlanImportView } from './exchange.view.js';
import { PlanValidation } from './plan-validation.js';
import { PlanExport } from './plan-export.js';
import { PlanImport } from './plan-import.js';

/** Size of the largest plan with indentation. */
const BODY_LIMIT_MIB = 4;
const INVALID_FILE_NAME_CHARACTERS = /[^A-Za-z0-9._-]+/g;

@ApiTags('Plans')
@Controller('api/plans')
export class PlanExchangeController {
  constructor(
    private readonly exports: PlanExport,
    private readonly imports: PlanImport,
    private readonly checks: PlanValidation,
  ) {}

  @Get(':id/export')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'exportPlan',
    summary: 'Download a plan as YAML',
    description:
      'Contains the fields that differ from their defaults, with names instead of IDs. A plan that was saved as YAML keeps its text, including comments. `POST /api/plans/import` accepts the file, in this or another installation.',
    answer: null,
    files: [
      {
        media: 'application/yaml',
        size: 'as large as the plan, which was saved with at most 4 MiB of JSON or YAML',
        named: true,
      },
    ],
    problems: [400, 404],
  })
  async export(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ExportPlanQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { name, yaml } = await this.exports.exportPlan(caller, id, query.revision);
    response.attachment(`${name.replace(INVALID_FILE_NAME_CHARACTERS, '-')}.yaml`);
    response.type('application/yaml; charset=utf-8').send(yaml);
  }

  @Post('import')
  @Requires('operator', { reach: 'environment' })
  @AcceptsIfMatch()
  @Route({
    id: 'importPlans',
    summary: 'Create or change plans from a text',
    bodyMiB: BODY_LIMIT_MIB,
    description:
      'A plan in YAML or JSON replaces the plan with its name, or with `planId`; fields that the text omits get their defaults. 400 gives line and column of each fault. Jobs of Rundeck (`format`) become new plans; settings that cannot be converted are listed with the reason. Everything happens in one transaction, which `preview` rolls back.',
    answer: PlanImportView,
    idempotent: true,
    problems: [400, 404, 409, 412, 413, 415, 422],
  })
  import(
    @Caller() caller: Principal,
    @Body() body: ImportPlansRequest,
    @IfMatch() version: number | null,
  ): Promise<PlanImportView> {
    return this.imports.importPlans(caller, body, version);
  }

  @Post('check')
  @Requires('viewer', { reach: 'plan', access: 'read' })
  @Route({
    id: 'checkPlan',
    summary: 'Validate the text of a plan without saving it',
    bodyMiB: BODY_LIMIT_MIB,
    description:
      'For editors: returns every fault with its position, the fields of the plan, and its text as an export would write it (YAML, also for JSON).',
    answer: PlanCheckView,
    problems: [400, 413, 415],
  })
  check(@Caller() caller: Principal, @Body() body: CheckPlanRequest): Promise<PlanCheckView> {
    return this.checks.check(caller, body);
  }
}
