import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';

type Encoding = 'br' | 'gzip' | 'identity';

/**
 * Returns a handler that sends the document, compressed if the client accepts it. The document is created at the first
 * request. Unlike other responses under `/api`, clients may store it: it is public and changes only with the version of
 * Runward. They must ask for changes before each use, by `If-None-Match`, and get 304 without a body if there are none.
 */
export function createDocumentHandler(describe: () => OpenAPIObject) {
  let encoded: Promise<Record<Encoding, Buffer> & { etag: string }> | undefined;
  return async (request: Request, response: Response): Promise<void> => {
    encoded ??= encode(Buffer.from(JSON.stringify(describe())));
    const accepted = request.acceptsEncodings('br', 'gzip', 'identity') as Encoding | false;
    const encoding = accepted || 'identity';
    const { etag, [encoding]: body } = await encoded;
    response.type('application/json').vary('Accept-Encoding');
    response.set({ 'Cache-Control': 'no-cache', ETag: etag });
    if (isKnown(request, etag)) {
      response.status(304).end();
      return;
    }
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.send(body);
  };
}

/** Unlike `request.fresh`, ignores `Cache-Control: no-cache`, which the `fetch` of Node.js adds to each `If-None-Match`. */
const isKnown = ({ headers }: Request, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((known) => [etag, '*'].includes(known.trim()));

async function encode(identity: Buffer): Promise<Record<Encoding, Buffer> & { etag: string }> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: identity.length };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, { params }),
    promisify(gzip)(identity, { level: 9 }),
  ]);
  // Weak, because all encodings have the same one.
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`;
  return { br, gzip: gz, identity, etag };
}
