import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  CREDENTIAL_CHECK,
  type CredentialCheck,
  type Principal,
  type RunwardRequest,
} from '../../common/access/principal.js';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { invalidRequest } from '../../common/errors/problem.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { isFinished } from '../lifecycle/statuses.js';
import { RunFeeds } from './run-feed.js';
import { SharedRechecks } from './shared-rechecks.js';

/**
 * Interval of comment lines, in ms. They keep proxies from closing a quiet stream. A client takes a connection for lost
 * after two missing comments.
 */
const KEEP_ALIVE_MS = 5_000;
/** Interval of credential checks, in ms. The stream ends within this time after the credential does. */
const RECHECK_MS = 1_500;
/**
 * Time after which a watcher that reads nothing is disconnected, in ms. At most one page waits for a watcher until
 * then.
 */
const STALL_TIMEOUT_MS = 30_000;

/**
 * Server-sent events of one run. A stream continues after the client's last event, and ends when the run is finished.
 */
@Injectable()
export class EventStream {
  private readonly rechecks = new SharedRechecks(RECHECK_MS);

  constructor(
    private readonly executions: ExecutionsReader,
    private readonly runFeeds: RunFeeds,
    @Inject(CREDENTIAL_CHECK) private readonly credentials: CredentialCheck,
  ) {}

  /** @throws Problem 400 or 404 before the stream begins */
  async openStream(
    id: string,
    after: number | undefined,
    request: Request & RunwardRequest,
    response: Response,
  ): Promise<void> {
    const caller = request.principal as Principal;
    const { status } = await this.executions.getRunState(caller, id);
    const from = parseLastEventId(request) ?? after ?? 0;
    if (isFinished(status) && from > 0 && (await this.runFeeds.readLastEventNumber(caller.tenantId, id)) <= from) {
      // Status 204 stops an EventSource from reconnecting.
      response.status(204).end();
      return;
    }
    // The client may have disconnected during the query.
    if (response.destroyed) return;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      Connection: 'keep-alive',
      'X-Accel-Buffering': 'no',
    });
    // A HEAD request cannot wait for a stream, which does not end.
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    response.write('retry: 1000\n\n');
    let stallTimer: NodeJS.Timeout | undefined;
    const closeResponse = () => response.destroy();
    const watch = this.runFeeds.watchRun(caller.tenantId, id, from, {
      write: (frames) => {
        const canWriteMore = response.write(frames);
        if (!canWriteMore) stallTimer = setTimeout(closeResponse, STALL_TIMEOUT_MS);
        return canWriteMore;
      },
      end: () => {
        clearInterval(keepAlive);
        clearTimeout(stallTimer);
        stallTimer = setTimeout(closeResponse, STALL_TIMEOUT_MS);
        response.end();
      },
    });
    const keepAlive = setInterval(() => {
      if (!response.writableNeedDrain) response.write(': still here\n\n');
    }, KEEP_ALIVE_MS);
    const recheck = async () => {
      try {
        // Also checks again whether the caller can see the run.
        await this.executions.getRunState(await this.credentials.resolveRequest(request), id);
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
      }
    };
    const leaveRechecks = this.rechecks.joinRecheck(
      `${caller.via} ${caller.credentialId} ${id}`,
      recheck,
      closeResponse,
    );
    response.on('drain', () => {
      clearTimeout(stallTimer);
      watch.resume();
    });
    response.on('close', () => {
      clearInterval(keepAlive);
      leaveRechecks();
      clearTimeout(stallTimer);
      watch.leave();
    });
  }
}

/** @throws Problem 400 if the header is not an event ID */
function parseLastEventId(request: Request): number | null {
  const header = request.headers['last-event-id'];
  if (header === undefined) return null;
  if (typeof header === 'string' && /^[0-9]{1,9}$/.test(header)) return Number(header);
  const message = 'Last-Event-ID must be a whole number from 0 to 999999999';
  throw invalidRequest([{ path: 'Last-Event-ID', code: 'invalid_format', message }]);
}
