import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

const REQUEST_TIMEOUT_MS = 5_000;
/** A supervisor needs one connection; further connections than this are refused. */
const MAX_CONNECTIONS = 20;

/**
 * Serves the health of a worker without an API, on the paths that the API uses: `GET /api/health/live` and
 * `/api/health/ready`.
 * @param isReady whether the worker takes runs and its heartbeats reach the database
 * @throws Error if the port cannot be opened
 */
export async function serveWorkerHealth(
  { host, port }: { host: string; port: number },
  isReady: () => boolean,
): Promise<Server> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      const [path] = (request.url ?? '').split('?');
      const known = path === '/api/health/live' || path === '/api/health/ready';
      const reads = request.method === 'GET' || request.method === 'HEAD';
      const ok = path === '/api/health/live' || isReady();
      const status = !known ? 404 : !reads ? 405 : ok ? 200 : 503;
      const headers = {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        Connection: 'close',
        ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
        ...(status === 503 ? { 'Retry-After': '5' } : {}),
      };
      response.writeHead(status, headers).end(JSON.stringify({ status: status === 200 ? 'ok' : 'unavailable' }));
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
