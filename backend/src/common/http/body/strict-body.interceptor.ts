import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { POLICY_METADATA_KEY, type Policy } from '../../access/policy.js';
import { invalidRequest, Problem } from '../../errors/problem.js';
import { toPointerPart, shortenText } from '../../text/shorten.js';
import { BODY_LIMIT_METADATA_KEY, RAW_BODY_METADATA_KEY } from '../route.js';
import { captureBody, MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES } from './captured-body.js';
import { parseStrictJson, StrictJsonError } from './strict-json.js';

// Key prefixes in the argument metadata of a route, from Nest's RouteParamtypes, which is not exported.
const BODY_PARAMETER_TYPE = '3';
const QUERY_PARAMETER_TYPE = '4';

const acceptsInput = (context: ExecutionContext, kind: string): boolean =>
  Object.keys(
    (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) as object) ?? {},
  ).some((key) => key.startsWith(`${kind}:`));

/**
 * Reads the body and parses it strictly. Rejects a body or query parameter on a route that takes none. Runs after the
 * guards and before the pipes.
 */
@Injectable()
export class StrictBodyInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request & { body: unknown }>();
    if (!acceptsInput(context, QUERY_PARAMETER_TYPE)) {
      const unknown = Object.keys(request.query);
      if (unknown.length > 0) {
        throw invalidRequest(
          unknown.map((name) => ({
            path: `?${shortenText(name)}`,
            code: 'unknown_parameter',
            message: `"${shortenText(name)}" is not a query parameter of this path, which has none. Remove it.`,
          })),
        );
      }
    }
    const bytes = await captureBody(
      request,
      context.switchToHttp().getResponse<Response>(),
      this.findBodyLimit(context),
    );
    if (this.reflector.get<boolean | undefined>(RAW_BODY_METADATA_KEY, context.getHandler())) return next.handle();
    const body = parseBody(request, bytes);
    // A missing body counts as an empty object. A null body is passed on and fails validation.
    if (acceptsInput(context, BODY_PARAMETER_TYPE)) request.body = body === undefined ? {} : body;
    else if (body !== undefined) requireNoBody(body);
    return next.handle();
  }

  /** Returns the size limit in bytes. It is small for public routes, because anyone can use their memory and time. */
  private findBodyLimit(context: ExecutionContext): number {
    const policy = this.reflector.getAllAndOverride<Policy>(POLICY_METADATA_KEY, [
      context.getHandler(),
      context.getClass(),
    ]);
    const own = this.reflector.get<number | undefined>(BODY_LIMIT_METADATA_KEY, context.getHandler());
    return own ?? (policy.public ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES);
  }
}

function parseBody(request: Request, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const type = (request.headers['content-type'] ?? '').toLowerCase().replaceAll(' ', '');
  if (type !== 'application/json' && type !== 'application/json;charset=utf-8') {
    throw new Problem(
      'unsupported_media_type',
      'Send the body as JSON with the header "Content-Type: application/json".',
    );
  }
  if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity') {
    throw new Problem('unsupported_encoding', 'Send the body without content encoding.');
  }
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (error instanceof StrictJsonError) {
      throw invalidRequest([{ path: error.path, code: error.code, message: error.message }]);
    }
    throw error;
  }
}

function requireNoBody(body: unknown): void {
  const names = body !== null && typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : null;
  if (names?.length === 0) return;
  throw invalidRequest(
    (names ?? ['']).map((name) => ({
      path: name === '' ? '' : `/${toPointerPart(name)}`,
      code: 'unknown_field',
      message: 'This path accepts no body. Remove it.',
    })),
  );
}
