import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';

type Encoding = 'br' | 'gzip' | 'identity';

/** Handler that sends the document, compressed if the client accepts it. The document is created at the first request. */
export function createDocumentHandler(describe: () => OpenAPIObject) {
  let encoded: Promise<Record<Encoding, Buffer>> | undefined;
  return async (request: Request, response: Response): Promise<void> => {
    encoded ??= encode(Buffer.from(JSON.stringify(describe())));
    const accepted = request.acceptsEncodings('br', 'gzip', 'identity') as Encoding | false;
    const encoding = accepted || 'identity';
    response.type('application/json').vary('Accept-Encoding');
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.send((await encoded)[encoding]);
  };
}

async function encode(identity: Buffer): Promise<Record<Encoding, Buffer>> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: identity.length };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, { params }),
    promisify(gzip)(identity, { level: 9 }),
  ]);
  return { br, gzip: gz, identity };
}
