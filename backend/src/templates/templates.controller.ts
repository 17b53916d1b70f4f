import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, TakesIfMatch } from '../common/http/if-match.js';
import { ListRevisionsQuery } from '../common/http/paging/page.dto.js';
import { Route } from '../common/http/route.js';
import { DiffRevisionsQuery, RestoreRequest } from '../common/revisions/revisions.dto.js';
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
  @TakesIfMatch()
  @Route({
    id: 'updateTemplate',
    summary: 'Change a template',
    description:
      'Another content makes a new revision, which the next start of a plan takes. Runs keep the revision that they were started with.',
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
  @TakesIfMatch()
  @Route({
    id: 'deleteTemplate',
    summary: 'Delete a template that no plan uses',
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
    summary: 'Tell what differs between two revisions of a template',
    description:
      'What the revision changed against the one before, or against `against`, which may be a later one. Of the first revision all is new.',
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
  @TakesIfMatch()
  @Route({
    id: 'restoreTemplate',
    summary: 'Give a template the content of an earlier revision again',
    description:
      'Makes a new revision of that content, by the rules of a change; where the template has that content already, it makes none. The name stays.',
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
    summary: 'Show what a template that is not saved would make of the variables of an environment',
    description: 'As for a saved template; nothing is stored.',
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
    summary: 'Show what a template would make of the variables of an environment',
    description:
      'Secrets are shown as masks. What earlier steps tell is not known here, and values that a plan or a start gives have to be given. `content` is rendered in place of what is saved, and `unknown: mark` shows the rest of the file where names have no value.',
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
