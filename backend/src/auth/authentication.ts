import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import passport from 'passport';
import type { CredentialCheck } from '../common/access/credential-check.js';
import type { Principal, RunwardRequest } from '../common/access/principal.js';
import { unauthorized } from '../common/errors/problem.js';
import { BearerStrategy } from './strategies/bearer.strategy.js';
import { SessionStrategy } from './strategies/session.strategy.js';

/**
 * Finds out by passport who sent a request: the guard asks for each request, long waits and streams ask again.
 *
 * Strategies register themselves with passport's global instance, which has room for one application in a process. This
 * one belongs to its application. Nothing is serialized: the session cookie is looked up with each request.
 */
@Injectable()
export class Authentication implements CredentialCheck {
  private readonly passport = new passport.Passport();

  constructor(bearer: BearerStrategy, session: SessionStrategy) {
    this.passport.use('bearer', bearer).use('session', session);
  }

  /** The caller of this request. @throws Problem 401 when there is none, or the credential no longer holds */
  resolveRequest(request: Request & RunwardRequest): Promise<Principal> {
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, principal?: Principal | false | null) => {
        if (error || !principal) reject(error ?? unauthorized());
        else resolve(principal);
      };
      // With a callback of ours passport leaves the response alone.
      const authenticate = this.passport.authenticate(['bearer', 'session'], { session: false }, done) as (
        request: Request,
        response: Response | undefined,
        next: (error: unknown) => void,
      ) => void;
      authenticate(request, request.res, reject);
    });
  }
}
