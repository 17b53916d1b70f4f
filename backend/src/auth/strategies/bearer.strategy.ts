import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import CustomStrategy from 'passport-custom';
import type { Principal, RunwardRequest } from '../../common/access/principal.js';
import { parseToken } from '../../common/crypto/api-token.js';
import { CredentialResolver } from './credential-resolver.js';

/**
 * An API token in the `Authorization` header, and nowhere else: `passport-http-bearer` takes one from the query and the
 * body too, where it would end up in logs.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(CustomStrategy, 'bearer') {
  constructor(private readonly credentials: CredentialResolver) {
    super();
  }

  /** @returns null when there is no token, or it does not hold */
  async validate(request: Request & RunwardRequest): Promise<Principal | null> {
    const [scheme, token, ...rest] = (request.headers.authorization ?? '').trim().split(/ +/);
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) return null;
    const parsed = parseToken(token);
    return parsed && this.credentials.resolve({ kind: 'token', ...parsed }, request.ip ?? '', request.requestId);
  }
}
