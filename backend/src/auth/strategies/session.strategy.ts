import { Injectable } from '@nestjs/common';
import { getRequestCookie } from '@nestjs/core/helpers/cookies/request-cookies.js';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import CustomStrategy from 'passport-custom';
import type { Principal, RunwardRequest } from '../../common/access/principal.js';
import { CredentialResolver, SESSION_COOKIE_NAME } from './credential-resolver.js';

/** Accepts a session cookie only if there is no `Authorization` header, which takes precedence. */
@Injectable()
export class SessionStrategy extends PassportStrategy(CustomStrategy, 'session') {
  constructor(private readonly credentials: CredentialResolver) {
    super();
  }

  /** @returns null if there is no valid session */
  async validate(request: Request & RunwardRequest): Promise<Principal | null> {
    if (request.headers.authorization !== undefined) return null;
    const secret = getRequestCookie(request, SESSION_COOKIE_NAME);
    return secret
      ? this.credentials.resolveCredential({ kind: 'session', secret }, request.ip ?? '', request.requestId)
      : null;
  }
}
