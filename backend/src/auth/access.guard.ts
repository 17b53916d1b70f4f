import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { POLICY, type Policy } from '../common/access/policy.js';
import { type RunwardRequest, roleIncludes } from '../common/access/principal.js';
import { insufficientRole } from '../common/errors/problem.js';
import { CredentialResolver } from './credential-resolver.js';
import { TokenUsage } from './token-usage.js';

/** The one guard: 401 without a live credential, then 403 when the role is too low, before anything else is looked at. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly credentials: CredentialResolver,
    private readonly usage: TokenUsage,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const policy = this.reflector.getAllAndOverride<Policy | undefined>(POLICY, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (!policy) throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no policy.`);
    if (policy.public) return true;
    const request = context.switchToHttp().getRequest<Request & RunwardRequest>();
    const principal = await this.credentials.resolveRequest(request);
    await this.usage.note(principal, Date.now());
    if (!roleIncludes(principal.role, policy.role)) throw insufficientRole(policy.role);
    request.principal = principal;
    return true;
  }
}
