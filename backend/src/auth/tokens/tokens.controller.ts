import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { EndedRunsView } from '../../tenancy/unbegun-runs.js';
import { CreateTokenRequest, ListTokensQuery } from './tokens.dto.js';
import { TokensService } from './tokens.service.js';
import { CreatedTokenView, TokenListView, TokenView } from './tokens.view.js';

@ApiTags('API tokens')
@Controller('api/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Requires('viewer', { reach: 'caller' })
  @Route({
    id: 'listTokens',
    summary: 'List API tokens',
    description:
      'The tokens of the caller; admins can list those of another member with `userId`. An unknown member has none.',
    answer: TokenListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListTokensQuery): Promise<TokenListView> {
    return this.tokens.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer', { reach: 'caller' })
  @Route({
    id: 'getToken',
    summary: 'Get an API token',
    description: 'One of your tokens, or for admins any token; never its value.',
    answer: TokenView,
    problems: [404],
  })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<TokenView> {
    return this.tokens.get(caller, id);
  }

  @Post()
  @Requires('viewer', { reach: 'caller', people: false })
  @Route({
    id: 'createToken',
    summary: 'Create an API token',
    description:
      'The token acts as the caller, with the role that the caller has at each request. Its value is shown only in this answer. A token that was created with another token ends with it at the latest (400 `outlives_parent`) and is revoked with it.',
    answer: CreatedTokenView,
    status: 201,
    problems: [400, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateTokenRequest): Promise<CreatedTokenView> {
    return this.tokens.create(caller, body);
  }

  @Delete(':id')
  @Requires('viewer', { reach: 'caller', people: false })
  @Route({
    id: 'revokeToken',
    summary: 'Revoke an API token',
    description:
      'One of your tokens, or for admins any token. Tokens that were created with it are revoked too. Runs that were started with them and have not begun are cancelled (`token_ended`); the answer contains their number.',
    answer: EndedRunsView,
    problems: [404],
  })
  revoke(@Caller() caller: Principal, @Param('id') id: string): Promise<EndedRunsView> {
    return this.tokens.revokeToken(caller, id);
  }
}
