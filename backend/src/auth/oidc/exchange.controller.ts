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
  @Public({ allowedWhileHeld: true })
  @Guessable()
  @Route({
    id: 'exchangeIdentityToken',
    summary: 'Exchange a token of an identity provider for an API token',
    description:
      'For jobs of GitHub Actions, GitLab and other providers of OpenID Connect tokens, so that they need no stored secret. The trust rule determines the rights of the API token, which is valid for at most an hour. The same token can be exchanged again while it is valid. Refusals are 401 with one of these codes: `oidc_issuer_unknown`, `oidc_signature_invalid`, `oidc_token_expired`, `oidc_token_not_yet_valid`, `oidc_claims_invalid`, `oidc_subject_unknown`, `oidc_audience_wrong`, `oidc_claim_mismatch`, `oidc_member_disabled`; 503 `oidc_issuer_unreachable`.',
    answer: ExchangedTokenView,
    problems: [400, 401, 409, 413, 415],
    open: true,
  })
  exchange(@Body() body: ExchangeTokenRequest, @Req() request: Request & RunwardRequest): Promise<ExchangedTokenView> {
    return this.exchanges.exchangeToken({ ...body, address: request.ip ?? '', requestId: request.requestId });
  }
}
