import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { resolve } from 'node:path';
import { type LoggerService, type LogLevel } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import { ApiModule } from './api.module.js';
import { resolveClientAddress } from './common/http/limits/client-address.js';
import { keepFromPlaceholders } from './common/http/allowed-methods.js';
import { delayContinue } from './common/http/body/expect-continue.js';
import { keepNoAnswer } from './common/http/not-kept.js';
import { demandOneHost, denyFeatures } from './common/http/request-head.js';
import { assignRequestId } from './common/http/request-id.js';
import { closeUnread } from './common/http/body/unread-body.js';
import { InstallationWatch } from './common/installation/installation-watch.js';
import { sendState } from './common/installation/state-header.js';
import type { Runtime } from './common/runtime.js';
import { serveInterface } from './boot/interface-files.js';
import { describeApi } from './openapi/openapi-document.js';

/** Where `npm run build` puts the interface, relative to this file in `backend/dist`. */
const INTERFACE_FOLDER = resolve(import.meta.dirname, '../../frontend/dist');

/** How long an idle connection of a client is kept, in ms. */
const KEEP_ALIVE_MS = 75_000;
/** How long a client may take to send the head of a request, and all of it, in ms. Bodies have a shorter time of their own. */
const HEADERS_MS = 15_000;
const REQUEST_MS = 60_000;

/** Builds the API's application, ready to listen. */
export async function createApiApp(
  runtime: Runtime,
  logger: LoggerService | LogLevel[],
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(ApiModule.for(runtime), {
    bodyParser: false,
    // Else one open stream holds up the end for as long as it likes.
    forceCloseConnections: true,
    logger,
    abortOnError: false,
  });
  // Before everything else that answers.
  app.use(closeUnread);
  const { publicUrl } = runtime.settings;
  const https = publicUrl.startsWith('https:');
  app.useSecurityHeaders({
    // Over plain http on a LAN neither may promise https.
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
  // A record's ETag is its version; one that Express derives from the bytes could not be sent back in If-Match.
  app.set('etag', false);
  app.use(sendState(app.get(InstallationWatch)));
  app.use(denyFeatures);
  app.use('/api', keepNoAnswer);
  app.use(assignRequestId, demandOneHost, resolveClientAddress(runtime.settings.trustedProxies));
  app.use(keepFromPlaceholders);
  SwaggerModule.setup('api/docs', app, () => describeApi(app), {
    jsonDocumentUrl: 'api/openapi.json',
    customSiteTitle: 'Runward API',
  });
  // Longer than the usual minute of proxies and clients, so that none of them sends into a connection we just closed.
  const server: Server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  delayContinue(server);
  if (existsSync(INTERFACE_FOLDER)) serveInterface(app, INTERFACE_FOLDER);
  return app;
}
