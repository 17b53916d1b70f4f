import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import passport from 'passport';
import type { CredentialCheck } from '../common/access/credential-check.js';
import type { Principal, RunwardRequest } from '../common/access/principal.js';
import { unauthorizedProblem } from '../common/errors/problem.js';
import { BearerStrategy } from './strategies/bearer.strategy.js';
import { SessionStrategy } from './strategies/session.strategy.js';

/**
 * Authenticates requests with passport. The guard calls it for each request; long polls and streams call it repeatedly.
 *
 * Strategies normally register with passport's global instance, which supports one application per process. Here, each
 * application has its own instance. Nothing is serialized: each request reads the session from the database.
 */
@Injectable()
export class Authentication implements CredentialCheck {
  private readonly passport = new passport.Passport();

  constructor(bearer: BearerStrategy, session: SessionStrategy) {
    this.passport.use('bearer', bearer).use('session', session);
  }

  /** @throws Problem 401 if there is no credential or it is no longer valid */
  resolveRequest(request: Request & RunwardRequest): Promise<Principal> {
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, principal?: Principal | false | null) => {
        if (error || !principal) reject(error ?? unauthorizedProblem());
        else resolve(principal);
      };
      // Because of the custom callback, passport does not write to the response.
      const authenticate = this.passport.authenticate(['bearer', 'session'], { session: false }, done) as (
        request: Request,
        response: Response | undefined,
        next: (error: unknown) => void,
      ) => void;
      authenticate(request, request.res, reject);
    });
  }
}
