import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { ListRevisionsQuery } from '../common/http/paging/page.dto.js';
import { Route } from '../common/http/route.js';
import { DiffRevisionsQuery, RestoreRequest } from '../revisions/revisions.dto.js';
import {
  CreateTemplateRequest,
  ListTemplatesQuery,
  RenderNewTemplateRequest,
  RenderTemplateRequest,
  UpdateTemplateRequest,
} from './templates.dto.js';
import { TemplatesService } from './templates.service.js';
import { TemplatePreview } from './template-preview.js';
import {
  RenderedTemplateView,
  TemplateListView,
  TemplateRevisionDiffView,
  TemplateRevisionListView,
  TemplateRevisionView,
  TemplateView,
} from './templates.view.js';

@ApiTags('Templates')
@Controller('api/templates')
export class TemplatesController {
  constructor(
    private readonly templates: TemplatesService,
    private readonly previews: TemplatePreview,
  ) {}

  @Get()
  @Requires('viewer')
  @Route({ id: 'listTemplates', summary: 'List templates', answer: TemplateListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListTemplatesQuery): Promise<TemplateListView> {
    return this.templates.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer')
  @Route({
    id: 'getTemplate',
    summary: 'Get a template with its latest content',
    answer: TemplateView,
    problems: [404],
  })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<TemplateView> {
    return this.templates.get(caller, id);
  }

  @Post()
  @Requires('operator')
  @Route({
    id: 'createTemplate',
    summary: 'Create a template',
    answer: TemplateView,
    status: 201,
    problems: [400, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateTemplateRequest): Promise<TemplateView> {
    return this.templates.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'updateTemplate',
    summary: 'Change a template',
    description:
      'New content creates a revision, which the next start of a plan uses. Existing runs keep their revision.',
    answer: TemplateView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateTemplateRequest,
    @IfMatch() version: number | null,
  ): Promise<TemplateView> {
    return this.templates.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'deleteTemplate',
    summary: 'Delete an unused template',
    answer: null,
    problems: [404, 409, 412],
  })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.templates.delete(caller, id, version);
  }

  @Get(':id/revisions')
  @Requires('viewer')
  @Route({
    id: 'listTemplateRevisions',
    summary: "List a template's revisions",
    answer: TemplateRevisionListView,
    problems: [400, 404],
  })
  revisions(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListRevisionsQuery,
  ): Promise<TemplateRevisionListView> {
    return this.templates.revisions(caller, id, query);
  }

  @Get(':id/revisions/:number')
  @Requires('viewer')
  @Route({
    id: 'getTemplateRevision',
    summary: 'Get one revision of a template with its content',
    answer: TemplateRevisionView,
    problems: [404],
  })
  revision(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number') number: string,
  ): Promise<TemplateRevisionView> {
    return this.templates.revision(caller, id, number);
  }

  @Get(':id/revisions/:number/diff')
  @Requires('viewer')
  @Route({
    id: 'diffTemplateRevisions',
    summary: 'Compare two revisions of a template',
    description:
      'Changes against the previous revision, or against `against`, which can be a later one. For the first revision, everything is new.',
    answer: TemplateRevisionDiffView,
    problems: [400, 404],
  })
  diff(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number') number: string,
    @Query() { against }: DiffRevisionsQuery,
  ): Promise<TemplateRevisionDiffView> {
    return this.templates.diff(caller, id, { number, against });
  }

  @Post(':id/restore')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'restoreTemplate',
    summary: 'Restore the content of an earlier revision of a template',
    description:
      'Creates a revision with that content, by the rules of a change. If the template already has that content, no revision is created. The name does not change.',
    answer: TemplateView,
    idempotent: true,
    problems: [400, 404, 409, 412, 413, 415, 422],
  })
  restore(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RestoreRequest,
    @IfMatch() version: number | null,
  ): Promise<TemplateView> {
    return this.templates.restore(caller, id, body, version);
  }

  @Post('render')
  @Requires('viewer', { access: 'read' })
  @Route({
    id: 'renderNewTemplate',
    summary: 'Render an unsaved template with the variables of an environment',
    description: 'Like the preview of a saved template. Nothing is stored.',
    answer: RenderedTemplateView,
    problems: [400, 404, 413, 415],
  })
  renderNew(@Caller() caller: Principal, @Body() body: RenderNewTemplateRequest): Promise<RenderedTemplateView> {
    return this.previews.render(caller, null, body);
  }

  @Post(':id/render')
  @Requires('viewer', { access: 'read' })
  @Route({
    id: 'renderTemplate',
    summary: 'Render a template with the variables of an environment',
    description:
      'Secrets are masked. Outputs of earlier steps are not known here; send the values that a plan or start would set. `content` replaces the saved content. With `unknown: mark`, names without a value are marked and the rest of the file is rendered.',
    answer: RenderedTemplateView,
    problems: [400, 404, 413, 415],
  })
  render(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RenderTemplateRequest,
  ): Promise<RenderedTemplateView> {
    return this.previews.render(caller, id, body);
  }
}
