import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { resolve } from 'node:path';
import { type LoggerService, type LogLevel } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { ApiModule } from './api.module.js';
import { createClientAddressResolver } from './common/network/client-address.js';
import {
  rejectMethodOfLiteralPath,
  compressJson,
  forbidCaching,
  requireOneHostHeader,
  denyBrowserFeatures,
  assignRequestId,
} from './common/http/middleware.js';
import { createRequestLog } from './common/http/request-log.js';
import { measureRequests } from './common/http/request-metrics.js';
import { delayContinueResponses, closeAfterUnreadBody } from './common/http/body/request-body.js';
import { InstallationWatch } from './common/installation/installation-state.js';
import { createStateHeaderMiddleware } from './common/installation/installation.controller.js';
import type { Runtime } from './common/settings/runtime.js';
import { serveInterfaceFiles } from './boot/interface-files.js';
import { describeApi } from './openapi/openapi-document.js';
import { createDocumentHandler } from './openapi/openapi-route.js';

const INTERFACE_FOLDER = resolve(import.meta.dirname, '../../frontend/dist');

const KEEP_ALIVE_MS = 75_000;
/** Time limits for the header of a request and for the whole request, in ms. Bodies have a separate, shorter limit. */
const HEADERS_MS = 15_000;
const REQUEST_MS = 60_000;

export async function createApiApp(
  runtime: Runtime,
  logger: LoggerService | LogLevel[],
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(ApiModule.for(runtime), {
    bodyParser: false,
    // Otherwise one open stream could delay shutdown without limit.
    forceCloseConnections: true,
    logger,
    abortOnError: false,
  });
  // Comes before all other middleware that responds.
  app.use(closeAfterUnreadBody);
  const { publicUrl } = runtime.settings;
  const https = publicUrl.startsWith('https:');
  app.useSecurityHeaders({
    // The policy must not require https, because an installation may use plain HTTP.
    contentSecurityPolicy: {
      directives: {
        'connect-src': ["'self'"],
        'font-src': ["'self'", 'data:'],
        'style-src': ["'self'", "'unsafe-inline'"],
        'frame-ancestors': ["'none'"],
        'upgrade-insecure-requests': https ? [] : null,
      },
    },
    strictTransportSecurity: https,
    crossOriginOpenerPolicy: true,
    xFrameOptions: { action: 'deny' },
    originAgentCluster: https,
  });
  app.enableCsrfProtection({ trustedOrigins: [new URL(publicUrl).origin] });
  app.set('query parser', 'simple');
  // The ETag of a record is its version. Express would derive the ETag from the bytes, which does not work with
  // If-Match.
  app.set('etag', false);
  app.use(measureRequests);
  app.use(createStateHeaderMiddleware(app.get(InstallationWatch)));
  app.use(denyBrowserFeatures);
  app.use('/api', forbidCaching, compressJson);
  app.use(assignRequestId, requireOneHostHeader, createClientAddressResolver(runtime.settings.trustedProxies));
  app.use(createRequestLog(runtime.settings.requestLog));
  app.use(rejectMethodOfLiteralPath);
  const router: Express = app.getHttpAdapter().getInstance();
  router.get(
    '/api/openapi.json',
    createDocumentHandler(() => describeApi(app)),
  );
  // Longer than the usual minute of proxies and clients, so that they never send on a connection that was just closed.
  const server: Server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  delayContinueResponses(server);
  if (existsSync(INTERFACE_FOLDER)) serveInterfaceFiles(app, INTERFACE_FOLDER);
  return app;
}
