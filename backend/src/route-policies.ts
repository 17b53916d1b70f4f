import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { POLICY_METADATA_KEY, type Policy } from './common/access/policy.js';

const RIGHTS_RESOURCES =
  /^api\/(members|service-accounts|oidc-trust-rules|tokens|auth|environments|executions|retention)(\/|$)/;

export interface RoutePolicy {
  handler: string;
  /** Whether the route may change rights, protection or evidence. */
  ofRights: boolean;
  policy: Policy | undefined;
}

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
          ofRights:
            this.reflector.get<RequestMethod>(METHOD_METADATA, prototype[name] as never) !== RequestMethod.GET &&
            RIGHTS_RESOURCES.test(String(this.reflector.get<unknown>(PATH_METADATA, metatype))),
          policy: this.reflector.getAllAndOverride<Policy | undefined>(POLICY_METADATA_KEY, [
            prototype[name] as never,
            metatype as never,
          ]),
        }));
    });
  }

  /**
   * Called when the application starts.
   * @throws Error that names routes without a policy, and writes of rights that do not state whether machines may send
   *   them
   */
  requireAll(): void {
    const open = this.list().filter((route) => route.policy === undefined);
    if (open.length > 0) throw new Error(`No policy is declared for ${open.map((route) => route.handler).join(', ')}.`);
    const routesWithoutPolicy = this.list().filter(
      ({ ofRights, policy }) => ofRights && policy && !policy.public && policy.people === undefined,
    );
    if (routesWithoutPolicy.length > 0)
      throw new Error(
        `No policy for machines is declared for ${routesWithoutPolicy.map((route) => route.handler).join(', ')}.`,
      );
  }
}
