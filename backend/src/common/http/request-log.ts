import { Logger } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { RunwardRequest } from '../access/principal.js';
import { runWithLogFields } from '../logging/log-fields.js';
import type { RequestLog } from '../settings/settings.js';
import { getRouteTemplate, isStream } from './request-metrics.js';

/** Duration from which a request is slow, in ms. */
const SLOW_MS = 1_000;

const log = new Logger('Request');

/**
 * Creates Express middleware that logs each API request when its answer ends, and adds the ID of the request to all
 * lines about it. Logs route, IDs and duration: paths, query strings and bodies can contain secrets.
 * @param which `slow`: only slow and failed requests; `off`: only failed ones, with a status from 500
 */
export const createRequestLog =
  (which: RequestLog): RequestHandler =>
  (request: Request & Partial<RunwardRequest>, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    const { requestId } = request;
    response.once('close', () => {
      const { statusCode: status } = response;
      const route = getRouteTemplate(request);
      const ms = Math.round(performance.now() - startedAt);
      // The log has the cause for which a process is not ready, once.
      const isFailed = status >= 500 && !(status === 503 && isProbe(route));
      const isSlow = ms >= SLOW_MS && !mayWait(request, response);
      if (!isFailed && (which === 'off' || (which === 'slow' && !isSlow) || (!isSlow && isProbe(route)))) return;
      const text = `${route} ${status} in ${ms} ms${response.writableFinished ? '' : ', aborted by the client'}`;
      const { principal } = request;
      const run = route.includes(' /api/executions/:id') ? toId(request.params.id) : undefined;
      const fields = {
        request: requestId,
        tenant: principal?.tenantId,
        user: principal?.userId,
        run,
        route,
        status,
        ms,
      };
      runWithLogFields(fields, () => {
        if (status === 500) log.error(text);
        else if (isFailed || isSlow) log.warn(text);
        else log.log(text);
      });
    });
    runWithLogFields({ request: requestId }, next);
  };

/** Event streams, and requests that wait for a run, are open as long as the client wants. */
const mayWait = ({ query }: Request, response: Response): boolean => isStream(response) || query.wait !== undefined;

/** Requests of supervisors and files of the dashboard. */
const isProbe = (route: string): boolean => route === 'dashboard' || route.startsWith('GET /api/health/');

const toId = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\da-f-]{36}$/i.test(value) ? value.toLowerCase() : undefined;
