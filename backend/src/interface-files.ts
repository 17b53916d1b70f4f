import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import express from 'express';

/**
 * Serves the built interface: hashed assets for ever, every other path outside of `/api` as the single page.
 * A stale asset address answers 404, not the page.
 */
export function serveInterface(app: NestExpressApplication, folder: string): void {
  app.use('/assets', express.static(join(folder, 'assets'), { immutable: true, maxAge: '1y', fallthrough: false }));
  app.use(
    express.static(folder, {
      index: false,
      cacheControl: false,
      setHeaders: (response) => response.setHeader('Cache-Control', 'no-cache'),
    }),
  );
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (!['GET', 'HEAD'].includes(request.method) || request.path === '/api' || request.path.startsWith('/api/'))
      return next();
    response.setHeader('Cache-Control', 'no-cache').sendFile(join(folder, 'index.html'));
  });
}
