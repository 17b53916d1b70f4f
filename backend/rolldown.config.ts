import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

const DIST = path.resolve(import.meta.dirname, 'dist');
const BUNDLE = path.join(DIST, 'bundle');

/**
 * Packages of many small files, of which Node.js would look up and compile one after the other at each start. Only such
 * as are written for the strict mode of ES modules and find nothing by their own place on the disk; all others are
 * loaded from `node_modules` as ever. What one of these is asked for must not be asked for by one of the others too, or there are two of it.
 */
const PACKAGES = [
  ...['@nestjs/common', '@nestjs/core', '@nestjs/mapped-types', '@nestjs/passport', '@nestjs/platform-express'],
  ...['@nestjs/swagger', '@nestjs/typeorm', '@sqltools/formatter', 'class-transformer', 'class-validator'],
  ...['cron-parser', 'es-toolkit', 'iterare', 'jose', 'libphonenumber-js', 'nodemailer', 'pg-boss', 'rxjs', 'typeorm'],
  ...['uuid', 'validator', 'yaml'],
];

const packageOf = (id: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id;

/** Leaves all other packages to Node.js, which then looks for them from here: that has to find the same copy. */
const others: Plugin = {
  name: 'other-packages',
  resolveId(id, importer) {
    if (importer === undefined || path.isAbsolute(id) || isBuiltin(id)) return null;
    // Files of data may be written anew after the build.
    if (id.endsWith('.json') && id.startsWith('.') && importer.startsWith(DIST))
      return { id: fromBundle(path.resolve(path.dirname(importer), id)), external: true };
    if (id.startsWith('.') || PACKAGES.includes(packageOf(id))) return null;
    const [wanted, found] = [importer, path.join(BUNDLE, 'main.js')].map((from) => placeOf(id, from));
    if (wanted !== found) throw new Error(`${id} of ${importer} is ${wanted}, but ${found} from the bundle.`);
    return { id, external: true };
  },
};

/** Optional packages that are not installed are nowhere for both. */
function placeOf(id: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(id);
  } catch (error) {
    // It is there for imports only.
    if ((error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

const fromBundle = (file: string): string => path.relative(BUNDLE, file).replace(/^(?!\.)/, './');

/** Files find threads and folders by their own place: it remains that of the file, which is still there. */
const places: Plugin = {
  name: 'places',
  transform(code, file) {
    if (file.startsWith(`${DIST}/`) && file !== path.join(DIST, 'main.js') && code.includes('import.meta.')) {
      const place = JSON.stringify(fromBundle(file));
      return code
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
        .replaceAll('import.meta.dirname', `decodeURI(new URL('.', new URL(${place}, import.meta.url)).pathname)`);
    }
    // They look for packages that are in the bundle too: by a `require` of their own they would get another copy.
    const own = 'const require = createRequire(import.meta.url);';
    if (/\/node_modules\/@nestjs\/(?:mapped-types|typeorm)\//.test(file) && code.includes(own))
      return code.replace(own, '');
    return null;
  },
};

/**
 * The service and its commands in some files instead of 3,000: half of the processor time of a start went into finding them. Not minified, and
 * with the names of functions and classes kept: stack traces, and what Nest and TypeORM call by its class, read as before.
 */
export default defineConfig({
  input: Object.fromEntries(['main', 'admin', 'seed'].map((name) => [name, path.join(DIST, `${name}.js`)])),
  platform: 'node',
  tsconfig: false,
  plugins: [others, places],
  onLog(level, log, tell) {
    // A warning is something that may go wrong at run time.
    tell(level === 'warn' ? 'error' : level, log);
  },
  output: {
    dir: BUNDLE,
    format: 'esm',
    keepNames: true,
    minify: false,
    strictExecutionOrder: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'libraries', test: /\/node_modules\// }] },
  },
});
