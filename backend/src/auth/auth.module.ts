import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuditModule } from '../audit/audit.module.js';
import { CREDENTIAL_CHECK } from '../common/access/principal.js';
import { RateLimits } from '../common/http/limits/rate-limits.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { AccessGuard } from './access.guard.js';
import { AuthController } from './auth.controller.js';
import { Authentication, CredentialResolver, BearerStrategy, SessionStrategy, TokenUsage } from './authentication.js';
import { DeviceCookies } from './sessions/device-cookie.js';
import { LoginService } from './login/login.service.js';
import { LoginThrottle } from './login/login-throttle.js';
import { MeReader } from './me.reader.js';
import { ExchangeController } from './oidc/exchange.controller.js';
import { IssuerKeys } from './oidc/issuer-keys.js';
import { TokenExchange } from './oidc/token-exchange.js';
import { TokenTrial } from './oidc/token-trial.js';
import { TrustRulesController } from './oidc/trust-rules.controller.js';
import { TrustRulesService } from './oidc/trust-rules.service.js';
import { PasswordsController } from './passwords/passwords.controller.js';
import { PasswordsService } from './passwords/passwords.service.js';
import { MemberSessionsController, OwnSessionsController } from './sessions/sessions.controller.js';
import { SessionsService } from './sessions/sessions.service.js';
import { ServiceAccountTokensController } from './tokens/service-account-tokens.controller.js';
import { TokensController } from './tokens/tokens.controller.js';
import { TokensService } from './tokens/tokens.service.js';

/** Global only because it provides the port `CREDENTIAL_CHECK`. No feature imports this module. */
@Global()
@Module({
  imports: [AuditModule, TenancyModule],
  controllers: [
    AuthController,
    PasswordsController,
    OwnSessionsController,
    MemberSessionsController,
    TokensController,
    ServiceAccountTokensController,
    TrustRulesController,
    ExchangeController,
  ],
  providers: [
    CredentialResolver,
    BearerStrategy,
    SessionStrategy,
    Authentication,
    DeviceCookies,
    LoginService,
    LoginThrottle,
    MeReader,
    PasswordsService,
    SessionsService,
    RateLimits,
    TokensService,
    TrustRulesService,
    IssuerKeys,
    TokenExchange,
    TokenTrial,
    TokenUsage,
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: CREDENTIAL_CHECK, useExisting: Authentication },
  ],
  exports: [CREDENTIAL_CHECK],
})
export class AuthModule {}
