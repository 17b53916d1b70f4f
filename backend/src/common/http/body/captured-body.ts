import type { Request, Response } from 'express';
import { Problem } from '../../errors/problem.js';
import { sendContinue } from './expect-continue.js';

export const MAX_BODY_BYTES = 1024 * 1024;
export const MAX_PUBLIC_BODY_BYTES = 16 * 1024;
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

export const hasBody = ({ headers }: Pick<Request, 'headers'>): boolean =>
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
