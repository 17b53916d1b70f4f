import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { isFromThisMachine } from '../network/client-address.js';
import { METRICS_CONTENT_TYPE } from '../metrics/metrics.js';

const REQUEST_TIMEOUT_MS = 5_000;
/** A supervisor and a monitoring system need one connection each; further connections than this are refused. */
const MAX_CONNECTIONS = 20;

export interface HealthAnswers {
  /** Whether the process can do its work. */
  isReady(): boolean | Promise<boolean>;
  /** Renders the metrics in the text format of Prometheus. */
  renderMetrics(): Promise<string>;
}

interface Answer {
  status: number;
  type: string;
  body: string;
  headers?: Record<string, string>;
}

/**
 * Serves health and metrics of a process: `GET /api/health/live`, `/api/health/ready` and `/metrics`.
 * @param at.metricsToken bearer token that other machines need for `/metrics`; undefined = only this machine
 * @throws Error if the port cannot be opened
 */
export async function serveHealth(
  { host, port, metricsToken }: { host: string; port: number; metricsToken: string | undefined },
  answers: HealthAnswers,
): Promise<Server> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      void createAnswer(request, answers, metricsToken)
        .catch(() => toHealthAnswer(500))
        .then(({ status, type, body, headers }) => {
          const common = { 'Content-Type': type, 'Cache-Control': 'no-store', Connection: 'close' };
          response.writeHead(status, { ...common, ...headers }).end(body);
        });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

async function createAnswer(
  request: IncomingMessage,
  answers: HealthAnswers,
  metricsToken: string | undefined,
): Promise<Answer> {
  const [path] = (request.url ?? '').split('?');
  const isKnown = path === '/api/health/live' || path === '/api/health/ready' || path === '/metrics';
  if (!isKnown) return toHealthAnswer(404);
  if (request.method !== 'GET' && request.method !== 'HEAD') return toHealthAnswer(405, { Allow: 'GET, HEAD' });
  if (path === '/metrics') {
    if (!mayReadMetrics(request, metricsToken)) return toHealthAnswer(401, { 'WWW-Authenticate': 'Bearer' });
    return { status: 200, type: METRICS_CONTENT_TYPE, body: await answers.renderMetrics() };
  }
  const isOk = path === '/api/health/live' || (await answers.isReady());
  return isOk ? toHealthAnswer(200) : toHealthAnswer(503, { 'Retry-After': '5' });
}

const toHealthAnswer = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify({ status: status === 200 ? 'ok' : 'unavailable' }),
  headers,
});

/** Requests of this machine need no token. */
function mayReadMetrics(request: IncomingMessage, token: string | undefined): boolean {
  if (isFromThisMachine(request)) return true;
  const [, sent] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  return token !== undefined && sent !== undefined && equalSecrets(sent, token);
}

/** Compares hashes, so that the time depends neither on the first difference nor on the length. */
const equalSecrets = (one: string, other: string): boolean =>
  timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
