import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { type Deprecation, findDeprecations, type RouteDeprecations } from './deprecation.js';

/**
 * Sends `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) if a request uses a deprecated route, or a deprecated field in
 * its body or query.
 */
@Injectable()
export class DeprecationHeadersInterceptor implements NestInterceptor {
  private readonly byHandler = new WeakMap<object, RouteDeprecations>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { body, query } = context.switchToHttp().getRequest<Request<unknown, unknown, unknown>>();
    const { route, fields } = this.find(context);
    const used: Deprecation[] = [
      ...(route ? [route] : []),
      ...fields.filter(({ name }) => [body, query].some((part) => hasField(part, name))),
    ];
    const response = context.switchToHttp().getResponse<Response>();
    for (const [name, value] of Object.entries(toDeprecationHeaders(used))) response.setHeader(name, value);
    return next.handle();
  }

  private find(context: ExecutionContext): RouteDeprecations {
    const handler = context.getHandler();
    const known = this.byHandler.get(handler) ?? findDeprecations(context.getClass(), handler.name);
    this.byHandler.set(handler, known);
    return known;
  }
}

const hasField = (part: unknown, name: string): boolean =>
  typeof part === 'object' && part !== null && Object.hasOwn(part, name);

/** Returns the headers with the earliest dates. */
export function toDeprecationHeaders(used: readonly Deprecation[]): Record<string, string> {
  const [since] = used.map((each) => each.since).sort();
  const [sunset] = used.flatMap((each) => each.sunset ?? []).sort();
  if (since === undefined) return {};
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    ...(sunset === undefined ? {} : { Sunset: new Date(sunset).toUTCString() }),
    Link: '</api/docs>; rel="deprecation"; type="text/html"',
  };
}
