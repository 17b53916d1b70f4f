import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RunwardRequest } from '../access/principal.js';
import { toDatabaseProblem } from '../database/database-problem.js';
import { limitProblemFaults } from '../errors/bounded-problem.js';
import { methodNotAllowedProblem, notFound, Problem } from '../errors/problem.js';
import { PROBLEMS_PATH } from '../errors/problem-codes.js';
import { findAllowedMethods } from './middleware.js';

/**
 * Converts every error to `application/problem+json` (RFC 9457). The response to an unexpected error reveals no
 * internals.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request & RunwardRequest>();
    const response = http.getResponse<Response>();
    if (response.headersSent) {
      // A stream has begun, so only an abort makes the client reconnect.
      response.destroy();
      return;
    }
    // Only the router throws NotFoundException: no route has this path and method.
    const allowed = error instanceof NotFoundException ? findAllowedMethods(request) : [];
    if (allowed.length === 0) return sendProblemResponse(response, this.toProblem(error, request), request.requestId);
    response.setHeader('Allow', allowed.join(', '));
    if (request.method === 'OPTIONS') response.status(204).end();
    else sendProblemResponse(response, methodNotAllowedProblem(request.method, allowed), request.requestId);
  }

  private toProblem(error: unknown, { method, path, requestId }: Request & RunwardRequest): Problem {
    if (error instanceof Problem) return error;
    const databaseFault = toDatabaseProblem(error);
    if (databaseFault) return databaseFault;
    if (error instanceof HttpException) {
      const status = error.getStatus();
      if (status === 404) return notFound();
      if (status === 403) {
        return new Problem(
          'cross_origin',
          'A page of another site sent this request. Use the dashboard at its own address.',
        );
      }
      if (status < 500) return new Problem('invalid_request', 'The request is invalid.');
    }
    this.log.error(
      `${method} ${path} failed (request ${requestId}): ${error instanceof Error ? error.stack : String(error)}`,
    );
    return new Problem(
      'internal_error',
      'Internal error. Ask the operator to search the server log for the request ID.',
    );
  }
}

function sendProblemResponse(response: Response, problem: Problem, requestId: string): void {
  const { headers, ...members } = problem.extras;
  const { detail, errors } = limitProblemFaults(problem);
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  response
    .status(problem.status)
    .setHeader('Cache-Control', 'no-store')
    .type('application/problem+json')
    .send(
      JSON.stringify({
        type: `${PROBLEMS_PATH}#${problem.code}`,
        title: problem.title,
        status: problem.status,
        code: problem.code,
        detail,
        requestId,
        ...members,
        errors,
        faults: undefined,
      }),
    );
}
