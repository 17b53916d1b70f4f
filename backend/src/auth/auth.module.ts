import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { CREDENTIAL_CHECK } from '../common/access/credential-check.js';
import { RateLimits } from '../common/http/rate-limits.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { AccessGuard } from './access.guard.js';
import { ApiToken } from './api-token.entity.js';
import { AuthController } from './auth.controller.js';
import { Authentication } from './authentication.js';
import { CredentialResolver } from './credential-resolver.js';
import { DeviceCookies } from './device-cookie.js';
import { LoginService } from './login.service.js';
import { LoginThrottle } from './login-throttle.js';
import { MeReader } from './me.reader.js';
import { PasswordsController } from './passwords.controller.js';
import { PasswordsService } from './passwords.service.js';
import { Session } from './session.entity.js';
import { MemberSessionsController, OwnSessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';
import { BearerStrategy } from './strategies/bearer.strategy.js';
import { SessionStrategy } from './strategies/session.strategy.js';
import { TokenUsage } from './token-usage.js';
import { TokensController } from './tokens.controller.js';
import { TokensService } from './tokens.service.js';

/** Global for one port only: `CREDENTIAL_CHECK`. No feature imports this room. */
@Global()
@Module({
  imports: [AuditModule, TenancyModule, TypeOrmModule.forFeature([Session, ApiToken])],
  controllers: [AuthController, PasswordsController, OwnSessionsController, MemberSessionsController, TokensController],
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
    TokenUsage,
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: CREDENTIAL_CHECK, useExisting: Authentication },
  ],
  exports: [CREDENTIAL_CHECK],
})
export class AuthModule {}
