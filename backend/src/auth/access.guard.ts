import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { findLimitObstacle } from '../common/access/caller-limits.js';
import { requiredTokenAccess, POLICY_METADATA_KEY, type Policy, isReadMethod } from '../common/access/policy.js';
import { type RunwardRequest, roleIncludes } from '../common/access/principal.js';
import { insufficientRoleProblem, insufficientScopeProblem, personRequiredProblem } from '../common/errors/problem.js';
import { addLogFields } from '../common/logging/log-fields.js';
import { createStoppedProblem, InstallationWatch } from '../common/installation/installation-state.js';
import { RateLimits } from '../common/http/limits/rate-limits.js';
import { Authentication, TokenUsage } from './authentication.js';
import { DeviceCookies } from './sessions/device-cookie.js';

/**
 * Global guard. Rejects in this order, before any handler runs: 401 without a valid credential, 429 above the member's
 * rate limit, 403 if role or token scope is insufficient.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authentication: Authentication,
    private readonly usage: TokenUsage,
    private readonly limits: RateLimits,
    private readonly devices: DeviceCookies,
    private readonly installation: InstallationWatch,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const policy = this.reflector.getAllAndOverride<Policy | undefined>(POLICY_METADATA_KEY, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (!policy) throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no policy.`);
    const request = context.switchToHttp().getRequest<Request & RunwardRequest>();
    const principal = policy.public ? null : await this.authentication.resolveRequest(request);
    this.limits.consumeRequestQuota({
      response: context.switchToHttp().getResponse<Response>(),
      handler: context.getHandler() as () => unknown,
      userId: principal?.userId ?? null,
      device: this.devices.readDevice(request)?.key.toString('hex') ?? null,
      address: request.ip ?? '',
    });
    if (policy.public || !principal) {
      this.requireActive(policy, request.method);
      return true;
    }
    await this.usage.recordUse(principal, Date.now());
    if (!roleIncludes(principal.role, policy.role)) throw insufficientRoleProblem(policy.role);
    const { reach = 'tenant' } = policy;
    const route = { reach, access: requiredTokenAccess(policy, request.method), people: policy.people === true };
    const obstacle = findLimitObstacle(principal.limits, route);
    if (obstacle === 'machine') throw personRequiredProblem();
    if (obstacle) throw insufficientScopeProblem(obstacle);
    this.requireActive(policy, request.method);
    request.principal = principal;
    addLogFields({ tenant: principal.tenantId, user: principal.userId });
    return true;
  }

  /**
   * Rejects writes while the installation is held, unless the policy allows them. @throws Problem 503
   * `installation_held`
   */
  private requireActive({ allowedWhileHeld }: Policy, method: string): void {
    const { current } = this.installation;
    if (current.state === 'held' && !allowedWhileHeld && !isReadMethod(method)) throw createStoppedProblem(current);
  }
}
