import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { CreateTokenRequest } from './tokens.dto.js';
import { TokensService } from './tokens.service.js';
import { CreatedTokenView } from './tokens.view.js';

@ApiTags('Service accounts')
@Controller('api/service-accounts')
export class ServiceAccountTokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post(':id/tokens')
  @Requires('admin', { people: true })
  @Route({
    id: 'createServiceAccountToken',
    summary: 'Create an API token of a service account',
    description:
      'The token acts as the service account. `GET /api/tokens?userId=` lists its tokens, `DELETE /api/tokens/{id}` revokes one. Its value is shown only in this answer.',
    answer: CreatedTokenView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: CreateTokenRequest,
  ): Promise<CreatedTokenView> {
    return this.tokens.createForServiceAccount(caller, id, body);
  }
}
