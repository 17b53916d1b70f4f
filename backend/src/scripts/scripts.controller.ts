import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { ListRevisionsQuery } from '../common/http/paging/page.dto.js';
import { Route } from '../common/http/route.js';
import { DiffRevisionsQuery, RestoreRequest } from '../revisions/revisions.dto.js';
import { ScriptInspection } from './script-inspection.js';
import { CreateScriptRequest, InspectScriptQuery, ListScriptsQuery, UpdateScriptRequest } from './scripts.dto.js';
import { ScriptsService } from './scripts.service.js';
import {
  ScriptInspectionView,
  ScriptListView,
  ScriptRevisionDiffView,
  ScriptRevisionListView,
  ScriptRevisionView,
  ScriptView,
} from './scripts.view.js';

@ApiTags('Scripts')
@Controller('api/scripts')
export class ScriptsController {
  constructor(
    private readonly scripts: ScriptsService,
    private readonly inspection: ScriptInspection,
  ) {}

  @Get()
  @Requires('viewer')
  @Route({ id: 'listScripts', summary: 'List scripts', answer: ScriptListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListScriptsQuery): Promise<ScriptListView> {
    return this.scripts.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer')
  @Route({ id: 'getScript', summary: 'Get a script with its latest content', answer: ScriptView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ScriptView> {
    return this.scripts.get(caller, id);
  }

  @Post()
  @Requires('operator')
  @Route({
    id: 'createScript',
    summary: 'Create a script',
    answer: ScriptView,
    status: 201,
    problems: [400, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateScriptRequest): Promise<ScriptView> {
    return this.scripts.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'updateScript',
    summary: 'Change a script',
    description:
      'New content or another interpreter creates a revision, which the next start of a plan uses. Existing runs keep their revision.',
    answer: ScriptView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateScriptRequest,
    @IfMatch() version: number | null,
  ): Promise<ScriptView> {
    return this.scripts.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'deleteScript',
    summary: 'Delete an unused script',
    answer: null,
    problems: [404, 409, 412],
  })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.scripts.delete(caller, id, version);
  }

  @Get(':id/program')
  @Requires('viewer')
  @Route({
    id: 'inspectScript',
    summary: 'Get the program that runs a script, and likely mistakes in it',
    description:
      'Reads the latest content; for a script from a git source, the file at the commit of the latest sync. `interpreter` shows the effect of a step with that interpreter.',
    answer: ScriptInspectionView,
    problems: [400, 404, 409],
  })
  program(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: InspectScriptQuery,
  ): Promise<ScriptInspectionView> {
    return this.inspection.inspect(caller, id, query);
  }

  @Get(':id/revisions')
  @Requires('viewer')
  @Route({
    id: 'listScriptRevisions',
    summary: "List a script's revisions",
    answer: ScriptRevisionListView,
    problems: [400, 404],
  })
  revisions(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListRevisionsQuery,
  ): Promise<ScriptRevisionListView> {
    return this.scripts.revisions(caller, id, query);
  }

  @Get(':id/revisions/:number')
  @Requires('viewer')
  @Route({
    id: 'getScriptRevision',
    summary: 'Get one revision of a script with its content',
    answer: ScriptRevisionView,
    problems: [404],
  })
  revision(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number') number: string,
  ): Promise<ScriptRevisionView> {
    return this.scripts.revision(caller, id, number);
  }

  @Get(':id/revisions/:number/diff')
  @Requires('viewer')
  @Route({
    id: 'diffScriptRevisions',
    summary: 'Compare two revisions of a script',
    description:
      'Changes against the previous revision, or against `against`, which can be a later one. For the first revision, everything is new.',
    answer: ScriptRevisionDiffView,
    problems: [400, 404],
  })
  diff(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number') number: string,
    @Query() { against }: DiffRevisionsQuery,
  ): Promise<ScriptRevisionDiffView> {
    return this.scripts.diff(caller, id, { number, against });
  }

  @Post(':id/restore')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'restoreScript',
    summary: 'Restore the content of an earlier revision of a script',
    description:
      'Creates a revision with that content, by the rules of a change. If the script already has that content, no revision is created. The name does not change.',
    answer: ScriptView,
    idempotent: true,
    problems: [400, 404, 409, 412, 413, 415, 422],
  })
  restore(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RestoreRequest,
    @IfMatch() version: number | null,
  ): Promise<ScriptView> {
    return this.scripts.restore(caller, id, body, version);
  }
}
