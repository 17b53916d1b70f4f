import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public, Requires } from '../common/access/policy.js';
import { Caller, type Principal, type RunwardRequest } from '../common/access/principal.js';
import { getCapturedBody } from '../common/http/body/request-body.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { Route } from '../common/http/route.js';
import { GitBrowser } from './git-browser.js';
import {
  CreateGitSourceRequest,
  GitCommitsQuery,
  GitFileQuery,
  GitTreeQuery,
  ListGitSourcesQuery,
  UpdateGitSourceRequest,
} from './git-sources.dto.js';
import { GitSourcesService } from './git-sources.service.js';
import {
  GitCommitListView,
  GitFileView,
  GitSourceListView,
  GitSourceView,
  GitTreeView,
  ReceivedGitCallView,
} from './git-sources.view.js';
import { WebhookReceiver } from './webhook/receive-call.js';

@ApiTags('Git sources')
@Controller('api/git-sources')
export class GitSourcesController {
  constructor(
    private readonly sources: GitSourcesService,
    private readonly browser: GitBrowser,
    private readonly calls: WebhookReceiver,
  ) {}

  @Get()
  @Requires('viewer')
  @Route({ id: 'listGitSources', summary: 'List git sources', answer: GitSourceListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListGitSourcesQuery): Promise<GitSourceListView> {
    return this.sources.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer')
  @Route({ id: 'getGitSource', summary: 'Get a git source', answer: GitSourceView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<GitSourceView> {
    return this.sources.get(caller, id);
  }

  @Post()
  @Requires('operator')
  @Route({
    id: 'createGitSource',
    summary: 'Create a git source',
    description:
      'A worker syncs it at once: poll `state`. Remotes are reached by https, or by ssh with a key and an accepted host key.',
    answer: GitSourceView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateGitSourceRequest): Promise<GitSourceView> {
    return this.sources.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'updateGitSource',
    summary: 'Change a git source',
    description:
      'An address on another server removes credential and host key unless the request sends new ones. Changes that affect a sync start one. A new address, branch, credential, host key or list of plan folders needs the grant `run` in every environment that uses content of the source (403 `grant_required`).',
    answer: GitSourceView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateGitSourceRequest,
    @IfMatch() version: number | null,
  ): Promise<GitSourceView> {
    return this.sources.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'deleteGitSource',
    summary: 'Delete an unused git source',
    description:
      'Needs the grant `run` in every environment where content of the source was used (403 `grant_required`).',
    answer: null,
    problems: [404, 409, 412],
  })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.sources.delete(caller, id, version);
  }

  @Post(':id/sync')
  @Requires('operator')
  @Route({
    id: 'syncGitSource',
    summary: 'Request a sync of a git source',
    description:
      'A worker syncs it as soon as possible. The sync has ended when `syncRequestedAt` is null; `state` and `error` contain the result.',
    answer: GitSourceView,
    status: 202,
    problems: [404],
  })
  sync(@Caller() caller: Principal, @Param('id') id: string): Promise<GitSourceView> {
    return this.sources.sync(caller, id);
  }

  @Get(':id/tree')
  @Requires('viewer')
  @Route({
    id: 'listGitTree',
    summary: 'List a folder of a git source',
    description: 'Without plan files of environments that you cannot see.',
    answer: GitTreeView,
    problems: [400, 404, 409],
  })
  tree(@Caller() caller: Principal, @Param('id') id: string, @Query() query: GitTreeQuery): Promise<GitTreeView> {
    return this.browser.readTree(caller, id, query);
  }

  @Get(':id/file')
  @Requires('viewer')
  @Route({
    id: 'getGitFile',
    summary: 'Get a file of a git source',
    description:
      'At most 1 MiB. Symbolic links are not followed. Plan files of environments that you cannot see answer `git_path_missing`.',
    answer: GitFileView,
    problems: [400, 404, 409],
  })
  file(@Caller() caller: Principal, @Param('id') id: string, @Query() query: GitFileQuery): Promise<GitFileView> {
    return this.browser.readFile(caller, id, query);
  }

  @Get(':id/commits')
  @Requires('viewer')
  @Route({
    id: 'listGitCommits',
    summary: 'List commits of a git source, newest first',
    description: 'If you cannot see every environment: without commits that changed only plan files.',
    answer: GitCommitListView,
    problems: [400, 404, 409],
  })
  commits(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: GitCommitsQuery,
  ): Promise<GitCommitListView> {
    return this.browser.listCommits(caller, id, query);
  }

  @Post(':id/webhook')
  @Public()
  @Route({
    id: 'receiveGitCall',
    summary: 'Receive a push webhook of a forge',
    description:
      'Needs no credentials except the signature that the forge makes with the webhook secret: `X-Hub-Signature-256` (GitHub), `webhook-signature` or `X-Gitlab-Token` (GitLab), `X-Gitea-Signature` (Gitea, Forgejo). The same call is accepted once. Its content is not used: it only starts a sync.',
    answer: ReceivedGitCallView,
    status: 202,
    problems: [400, 401, 409, 413],
    open: true,
    rawBody: true,
    bodyMiB: 0.5,
  })
  async receive(@Param('id') id: string, @Req() request: Request & RunwardRequest): Promise<ReceivedGitCallView> {
    const { headers, ip = '', requestId } = request;
    const call = { headers, body: getCapturedBody(request).bytes };
    return { syncs: await this.calls.receive(id, call, { address: ip, requestId }) };
  }
}
