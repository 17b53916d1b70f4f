import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { NotFoundException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import precompressed from 'express-static-gzip';

/** The browser revalidates the page at each visit, so that a new version appears immediately. */
const REVALIDATION_HEADERS = {
  cacheControl: false,
  setHeaders: (response: ServerResponse) => void response.setHeader('Cache-Control', 'no-cache'),
};

const PAGE_HEADERS = {
  ...REVALIDATION_HEADERS,
  setHeaders: (response: ServerResponse) => {
    REVALIDATION_HEADERS.setHeaders(response);
    (response as Response).vary('Accept');
  },
};

/** Headers that browsers apply only to documents. On each small file they would cost more than its content. */
const DOCUMENT_HEADERS = [
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Origin-Agent-Cluster',
  'Permissions-Policy',
  'Referrer-Policy',
  'X-Dns-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-Xss-Protection',
];

/** An image in SVG can be opened as a document, so it keeps its policy. */
const removeDocumentHeaders = (response: ServerResponse, path: string) => {
  if (path.endsWith('.svg')) return;
  for (const name of DOCUMENT_HEADERS) response.removeHeader(name);
};

/**
 * Serves the built frontend. Sends Brotli or gzip files if the build created them and the client accepts them. Assets
 * have a content hash in their name and are cached permanently. For every other path outside `/api` without a dot,
 * clients that accept HTML get the page, other clients get 404. An unknown file such as `/llms.txt` returns 404. An outdated asset path returns 404, not the page. `/api/docs` is the
 * documentation page.
 */
export function serveInterfaceFiles(app: NestExpressApplication, folder: string): void {
  const compressionOptions = { enableBrotli: true, orderPreference: ['br'], index: false as const };
  app.use(
    '/assets',
    precompressed(join(folder, 'assets'), {
      ...compressionOptions,
      serveStatic: { immutable: true, maxAge: '1y', fallthrough: false, setHeaders: removeDocumentHeaders },
    }),
  );
  // A path outside the folder also gets 404.
  const handleMissingAsset: ErrorRequestHandler = (error: { status?: number }, _request, _response, next) =>
    next(error.status === 403 ? new NotFoundException() : error);
  app.use('/assets', handleMissingAsset);
  const page: RequestHandler = precompressed(folder, { ...compressionOptions, serveStatic: PAGE_HEADERS });
  app.use('/api/docs', (request: Request, response: Response, next: NextFunction) => {
    if (request.path !== '/' || !isReading(request)) return next();
    request.url = '/docs.html';
    page(request, response, next);
  });
  const files = express.static(folder, { index: false, ...REVALIDATION_HEADERS });
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (isApiRequest(request)) next();
    else files(request, response, next);
  });
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (!isReading(request) || isApiRequest(request)) return next();
    if (request.path !== '/' && (isFile(request) || !acceptsHtml(request))) return next();
    request.url = '/index.html';
    page(request, response, next);
  });
}

/** Whether the path names a file. No route of the frontend has a dot. */
const isFile = ({ path }: Request): boolean => path.includes('.');

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Whether `Accept` names HTML. Programs send no `Accept`, or one that matches any type. */
const acceptsHtml = ({ headers }: Request): boolean =>
  (headers.accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    return /^(text\/html|application\/xhtml\+xml)$/.test(type) && !parameters.some((each) => /^q=0(\.0*)?$/.test(each));
  });

/** Includes `/metrics`, which only the health port serves: a monitoring system must not get the page. */
const isApiRequest = ({ path }: Request): boolean =>
  path === '/api' || path.startsWith('/api/') || path === '/metrics' || path === '/metrics/';
