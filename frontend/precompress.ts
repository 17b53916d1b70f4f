import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(?:js|css|html|svg|json)$/;
/** Below this size, in bytes, compression saves less than its headers cost. */
const MIN_COMPRESSED_BYTES = 1024;

/** Writes `.br` and `.gz` beside each text file of the build, so that the server need not compress. */
export function precompress(): Plugin {
  return {
    name: 'runward:precompress',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      await Promise.all(
        Object.values(bundle).map(async (file) => {
          const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source);
          if (!TEXT.test(file.fileName) || bytes.length < MIN_COMPRESSED_BYTES) return;
          const target = join(dir, file.fileName);
          await Promise.all([
            promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).then(
              (packed) => writeFile(`${target}.br`, packed),
            ),
            promisify(gzip)(bytes, { level: 9 }).then((packed) => writeFile(`${target}.gz`, packed)),
          ]);
        }),
      );
    },
  };
}
