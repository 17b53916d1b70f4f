import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, Response, NextFunction } from 'express';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import type { Observable } from 'rxjs';
import { Problem, invalidRequest } from '../../errors/problem.js';
import { POLICY_METADATA_KEY, type Policy } from '../../access/policy.js';
import { toPointerPart, shortenText } from '../../text/shorten.js';
import { BODY_LIMIT_METADATA_KEY, RAW_BODY_METADATA_KEY } from '../route.js';
import { parseStrictJson, StrictJsonError } from './strict-json.js';

const waitingRequests = new WeakSet<IncomingMessage>();

/**
 * Delays the answer to `Expect: 100-continue` until the body is about to be read, whereas Node.js answers immediately.
 * So clients never send the bodies of refused requests.
 */
export function delayContinueResponses(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waitingRequests.add(request);
    server.emit('request', request, response);
  });
}

function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (waitingRequests.delete(request)) response.writeContinue();
}

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_PUBLIC_BODY_BYTES = 16 * 1024;
/** Time limit for a whole body, in ms. 1 MiB at 35 KiB/s takes this long. */
const BODY_TIMEOUT_MS = 30_000;

export interface CapturedBody {
  kind: 'bytes';
  bytes: Buffer;
}

const capturedBodies = new WeakMap<object, CapturedBody>();
const EMPTY_BODY: CapturedBody = { kind: 'bytes', bytes: Buffer.alloc(0) };
/** Bodies of these methods have no meaning (RFC 9110, 9.3) and are not read. */
const METHODS_WITHOUT_BODY = ['GET', 'HEAD', 'OPTIONS'];

export const getCapturedBody = (request: object): CapturedBody => capturedBodies.get(request) ?? EMPTY_BODY;

const hasBody = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Reads the body of a request. Call it after authentication and authorisation, so that bodies of other requests are
 * never read.
 *
 * @param limit in bytes
 * @throws Problem 413 as soon as the body is known to be larger, 408 when it arrives too slowly, 400 when it is
 *   truncated
 */
export async function captureBody(request: Request, response: Response, limit: number): Promise<Buffer> {
  if (!hasBody(request) || METHODS_WITHOUT_BODY.includes(request.method)) return EMPTY_BODY.bytes;
  if (Number(request.headers['content-length'] ?? 0) > limit) throw bodyTooLargeProblem(limit);
  sendContinue(request, response);
  const bytes = await readBody(request, limit);
  capturedBodies.set(request, { kind: 'bytes', bytes });
  return bytes;
}

function readBody(request: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak).pause();
      outcome();
    };
    const onData = (part: Buffer) => {
      size += part.length;
      if (size > limit) settle(() => reject(bodyTooLargeProblem(limit)));
      else parts.push(part);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(parts)));
    const onBreak = () => settle(() => reject(abortedBodyProblem()));
    const timer = setTimeout(() => settle(() => reject(bodyTimeoutProblem())), BODY_TIMEOUT_MS);
    if (request.destroyed) return onBreak();
    request.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });
}

const CLOSE_CONNECTION_OPTIONS = { headers: { Connection: 'close' } };

const bodyTooLargeProblem = (limit: number) =>
  new Problem(
    'body_too_large',
    `The request body can have at most ${limit} bytes. Send a smaller body.`,
    CLOSE_CONNECTION_OPTIONS,
  );

const bodyTimeoutProblem = () =>
  new Problem(
    'body_too_slow',
    `The request body did not arrive within ${BODY_TIMEOUT_MS / 1000} seconds. Send it again, faster or in smaller parts.`,
    CLOSE_CONNECTION_OPTIONS,
  );

const abortedBodyProblem = () =>
  new Problem(
    'body_incomplete',
    'The connection ended before the request body was complete. Send it again.',
    CLOSE_CONNECTION_OPTIONS,
  );

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

/** Limits for reading and discarding the rest of a refused body, in ms and in bytes. */
const LINGER_TIMEOUT_MS = 1000;
const MAX_LINGER_BYTES = 1024 * 1024;

const closingSockets = new WeakSet<Socket>();

/**
 * Express middleware that closes the connection if the response is sent before the request's body has arrived.
 * Otherwise Node.js would read the rest of the body, of any length, before the next request.
 *
 * The response is directly followed by the end of the connection. Closing fully with unread bytes would also send a
 * reset, which can overtake the response while the client is still sending (RFC 9112, 9.6). So the rest of the body is
 * read for a short time.
 */
export function closeAfterUnreadBody(request: Request, response: Response, next: NextFunction): void {
  // The discarded bytes contain another request.
  if (closingSockets.has(request.socket)) return void request.socket.destroy();
  if (!hasBody(request)) return next();
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => Response;
  response.writeHead = (...args: unknown[]): Response => {
    if (!request.complete) {
      response.setHeader('Connection', 'close');
      closingSockets.add(request.socket);
      // Node.js calls this after it has written the last response of a connection.
      request.socket.destroySoon = () => discardUnreadBody(request);
      // Makes Node.js treat the body as read.
      request.read(0);
    }
    return writeHead(...args);
  };
  // Continues after the bytes that came with the head are parsed. A short body is then complete, so the connection
  // stays open.
  setImmediate(next);
}

function discardUnreadBody(request: Request): void {
  const { socket } = request;
  let taken = 0;
  const end = () => socket.destroy();
  const timer = setTimeout(end, LINGER_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end();
  request
    .on('data', (part: Buffer) => {
      taken += part.length;
      if (taken > MAX_LINGER_BYTES) end();
    })
    .once('end', end)
    .resume();
}
