import { Injectable } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { POLICY, type Policy } from './common/access/policy.js';

/** One route handler and what it demands. */
export interface RoutePolicy {
  handler: string;
  policy: Policy | undefined;
}

/** Knows what every route of the running application demands of its caller. */
@Injectable()
export class RoutePolicies {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  list(): RoutePolicy[] {
    return this.discovery.getControllers().flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, (...args: unknown[]) => unknown>;
      return this.scanner
        .getAllMethodNames(prototype)
        .filter((name) => Reflect.hasMetadata(METHOD_METADATA, prototype[name] as object))
        .map((name) => ({
          handler: `${metatype.name}.${name}`,
          policy: this.reflector.getAllAndOverride<Policy | undefined>(POLICY, [
            prototype[name] as never,
            metatype as never,
          ]),
        }));
    });
  }

  /** @throws Error that names the routes without a policy: the application does not boot then */
  demandAll(): void {
    const open = this.list().filter((route) => route.policy === undefined);
    if (open.length > 0) throw new Error(`No policy is declared for ${open.map((route) => route.handler).join(', ')}.`);
  }
}
