import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('../../package.json') as { version: string };

/** Version of this Runward, such as `0.1.0`. */
export const PRODUCT_VERSION = manifest.version;
