import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../../common/access/policy.js';
import type { RunwardRequest } from '../../common/access/principal.js';
import { Guessable } from '../../common/http/limits/rate-limits.js';
import { Route } from '../../common/http/route.js';
import { ExchangedTokenView } from './exchange.view.js';
import { TokenExchange } from './token-exchange.js';
import { ExchangeTokenRequest } from './trust-rules.dto.js';

@ApiTags('Authentication')
@Controller('api/auth')
export class ExchangeController {
  constructor(private readonly exchanges: TokenExchange) {}

  @Post('oidc-exchange')
  @Public({ whileHeld: true })
  @Guessable()
  @Route({
    id: 'exchangeIdentityToken',
    summary: 'Exchange a token of an identity provider for an API token',
    description:
      'For jobs of GitHub Actions, GitLab and others that issue OpenID Connect tokens: no secret has to be stored there. What the API token may do stands in the trust rule; it lasts an hour at most. The same token may be exchanged again while it is valid. Refusals are 401 and tell by their code what is wrong: `oidc_issuer_unknown`, `oidc_signature_invalid`, `oidc_token_expired`, `oidc_token_not_yet_valid`, `oidc_claims_invalid`, `oidc_subject_unknown`, `oidc_audience_wrong`, `oidc_member_disabled`; 503 `oidc_issuer_unreachable`.',
    answer: ExchangedTokenView,
    problems: [400, 401, 409, 413, 415],
    open: true,
  })
  exchange(@Body() body: ExchangeTokenRequest, @Req() request: Request & RunwardRequest): Promise<ExchangedTokenView> {
    return this.exchanges.exchange({ ...body, address: request.ip ?? '', requestId: request.requestId });
  }
}
