import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import CustomStrategy from 'passport-custom';
import type { Principal, RunwardRequest } from '../../common/access/principal.js';
import { parseToken } from '../../common/crypto/api-token.js';
import { CredentialResolver } from './credential-resolver.js';

/**
 * Accepts an API token only in the `Authorization` header. `passport-http-bearer` would also accept it in the query and
 * the body, where it could be logged.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(CustomStrategy, 'bearer') {
  constructor(private readonly credentials: CredentialResolver) {
    super();
  }

  /** @returns null if there is no valid token */
  async validate(request: Request & RunwardRequest): Promise<Principal | null> {
    const [scheme, token, ...rest] = (request.headers.authorization ?? '').trim().split(/ +/);
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) return null;
    const parsed = parseToken(token);
    return (
      parsed && this.credentials.resolveCredential({ kind: 'token', ...parsed }, request.ip ?? '', request.requestId)
    );
  }
}
