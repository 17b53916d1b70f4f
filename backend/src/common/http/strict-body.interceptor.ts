import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { invalidRequest, Problem } from '../errors/problem.js';
import { capturedBodyOf, MAX_BODY_BYTES } from './captured-body.js';
import { parseStrictJson, StrictJsonError } from './strict-json.js';

// Nest's RouteParamtypes, which it does not export: the first half of each key in the route's argument metadata.
const BODY = '3';
const QUERY = '4';

const takes = (context: ExecutionContext, kind: string): boolean =>
  Object.keys(
    (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) as object) ?? {},
  ).some((key) => key.startsWith(`${kind}:`));

/**
 * Runs after the guards and before the pipes: parses the captured body strictly and refuses a body or a query
 * parameter on a route that takes none (spec, rule 3).
 */
@Injectable()
export class StrictBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request & { body: unknown }>();
    if (!takes(context, QUERY)) {
      const unknown = Object.keys(request.query);
      if (unknown.length > 0) {
        throw invalidRequest(
          unknown.map((name) => ({
            path: `?${name}`,
            code: 'unknown_parameter',
            message: `"${name}" is not a query parameter of this path, which takes none. Leave it out.`,
          })),
        );
      }
    }
    const body = readBody(request);
    // No body counts as an empty object; null is a body of the wrong type.
    if (takes(context, BODY)) request.body = body === undefined ? {} : body;
    else if (body !== undefined) refuseBody(body);
    return next.handle();
  }
}

function readBody(request: Request): unknown {
  const captured = capturedBodyOf(request);
  if (captured.kind === 'too_large') {
    throw new Problem('body_too_large', `A request body may hold at most ${MAX_BODY_BYTES} bytes. Send less.`);
  }
  if (captured.bytes.length === 0) return undefined;
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
    return parseStrictJson(captured.bytes);
  } catch (error) {
    if (error instanceof StrictJsonError) {
      throw invalidRequest([{ path: error.path, code: error.code, message: error.message }]);
    }
    throw error;
  }
}

function refuseBody(body: unknown): void {
  const names = body !== null && typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : null;
  if (names?.length === 0) return;
  throw invalidRequest(
    (names ?? ['']).map((name) => ({
      path: name === '' ? '' : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      code: 'unknown_field',
      message: 'This path takes no body. Leave it out.',
    })),
  );
}
