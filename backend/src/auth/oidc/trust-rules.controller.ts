import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../../common/http/etag.js';
import { Route } from '../../common/http/route.js';
import { EndedRunsView } from '../../tenancy/unbegun-runs.js';
import { TokenTrial } from './token-trial.js';
import {
  CreateTrustRuleRequest,
  ListTrustRulesQuery,
  TryTokenRequest,
  UpdateTrustRuleRequest,
} from './trust-rules.dto.js';
import { TrustRulesService } from './trust-rules.service.js';
import { TokenTrialView, TrustRuleListView, TrustRuleView } from './trust-rules.view.js';

@ApiTags('Trust rules')
@Controller('api/oidc-trust-rules')
export class TrustRulesController {
  constructor(
    private readonly rules: TrustRulesService,
    private readonly trial: TokenTrial,
  ) {}

  @Get()
  @Requires('admin')
  @Route({ id: 'listTrustRules', summary: 'List trust rules', answer: TrustRuleListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListTrustRulesQuery): Promise<TrustRuleListView> {
    return this.rules.list(caller, query);
  }

  @Get(':id')
  @Requires('admin')
  @Route({ id: 'getTrustRule', summary: 'Get a trust rule', answer: TrustRuleView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<TrustRuleView> {
    return this.rules.get(caller, id);
  }

  @Post()
  @Requires('admin', { people: true })
  @Route({
    id: 'createTrustRule',
    summary: 'Add a trust rule',
    description:
      'A job with a token of this issuer, audience and subject then gets a short-lived token of the member from `POST /api/auth/oidc-exchange`.',
    answer: TrustRuleView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateTrustRuleRequest): Promise<TrustRuleView> {
    return this.rules.create(caller, body);
  }

  @Patch(':id')
  @Requires('admin', { people: true })
  @AcceptsIfMatch()
  @Route({
    id: 'updateTrustRule',
    summary: 'Change a trust rule',
    description:
      'Ends the tokens that it has issued immediately, unless only its name changes. Runs that were started with them and have not begun are cancelled (`token_ended`); `waitingRuns` of the response is their number.',
    answer: TrustRuleView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateTrustRuleRequest,
    @IfMatch() version: number | null,
  ): Promise<TrustRuleView> {
    return this.rules.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('admin', { people: true })
  @AcceptsIfMatch()
  @Route({
    id: 'deleteTrustRule',
    summary: 'Delete a trust rule',
    description:
      'Ends the tokens that it has issued immediately. Runs that were started with them and have not begun are cancelled (`token_ended`): the response has their number.',
    answer: EndedRunsView,
    problems: [404, 409, 412],
  })
  delete(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @IfMatch() version: number | null,
  ): Promise<EndedRunsView> {
    return this.rules.remove(caller, id, version);
  }

  @Post('try')
  @Requires('admin', { people: false })
  @Route({
    id: 'tryIdentityToken',
    summary: 'Try a token of an identity provider',
    description: 'Reports how the trust rules of the tenant evaluate the token. The token is not exchanged.',
    answer: TokenTrialView,
    problems: [400, 413, 415],
  })
  try(@Caller() caller: Principal, @Body() { token }: TryTokenRequest): Promise<TokenTrialView> {
    return this.trial.tryIdentityToken(caller, token);
  }
}
