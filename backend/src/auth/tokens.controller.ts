import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { Route } from '../common/http/route.js';
import { CreateTokenRequest, ListTokensQuery } from './tokens.dto.js';
import { TokensService } from './tokens.service.js';
import { CreatedTokenView, TokenListView } from './tokens.view.js';

@ApiTags('API tokens')
@Controller('api/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Requires('viewer')
  @Route({ id: 'listTokens', summary: "List the caller's API tokens", answer: TokenListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListTokensQuery): Promise<TokenListView> {
    return this.tokens.list(caller, query);
  }

  @Post()
  @Requires('viewer')
  @Route({
    id: 'createToken',
    summary: 'Create an API token',
    description:
      'The token acts as the caller, with the role the caller has at each request. Its value is shown in this answer only.',
    answer: CreatedTokenView,
    status: 201,
    problems: [400, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateTokenRequest): Promise<CreatedTokenView> {
    return this.tokens.create(caller, body);
  }

  @Delete(':id')
  @Requires('viewer')
  @Route({ id: 'revokeToken', summary: 'Revoke an API token', answer: null, problems: [404] })
  revoke(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.tokens.revoke(caller, id);
  }
}
