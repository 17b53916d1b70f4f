import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

const DIST = path.resolve(import.meta.dirname, 'dist');
const BUNDLE = path.join(DIST, 'bundle');

/**
 * Packages of many small files, which Node.js would otherwise find and compile one by one at each start. A package is
 * listed only if it runs as an ES module in strict mode and does not depend on its own path. All others are loaded from
 * `node_modules`. No unlisted package may import a listed one, or there would be two copies of it.
 */
const PACKAGES = [
  ...['@nestjs/common', '@nestjs/core', '@nestjs/mapped-types', '@nestjs/passport', '@nestjs/platform-express'],
  ...['@nestjs/swagger', '@nestjs/typeorm', '@sqltools/formatter', 'class-transformer', 'class-validator'],
  ...['cron-parser', 'es-toolkit', 'iterare', 'jose', 'libphonenumber-js', 'nodemailer', 'pg-boss', 'rxjs', 'typeorm'],
  ...['uuid', 'validator', 'yaml'],
];

const packageOf = (id: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id;

/**
 * Leaves all other packages to Node.js, which resolves them from the bundle. Fails if the bundle would find another
 * copy.
 */
const others: Plugin = {
  name: 'other-packages',
  resolveId(id, importer) {
    if (importer === undefined || path.isAbsolute(id) || isBuiltin(id)) return null;
    // Data files can be rewritten after the build.
    if (id.endsWith('.json') && id.startsWith('.') && importer.startsWith(DIST))
      return { id: fromBundle(path.resolve(path.dirname(importer), id)), external: true };
    if (id.startsWith('.') || PACKAGES.includes(packageOf(id))) return null;
    const [wanted, found] = [importer, path.join(BUNDLE, 'main.js')].map((from) => placeOf(id, from));
    if (wanted !== found) throw new Error(`${id} of ${importer} is ${wanted}, but ${found} from the bundle.`);
    return { id, external: true };
  },
};

/** Returns the path of a package; undefined for an optional package that is not installed. */
function placeOf(id: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(id);
  } catch (error) {
    // The package exports nothing for `require`.
    if ((error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

const fromBundle = (file: string): string => path.relative(BUNDLE, file).replace(/^(?!\.)/, './');

/** Replaces `import.meta` by the path of the original file, because code finds threads and folders relative to it. */
const places: Plugin = {
  name: 'places',
  transform(code, file) {
    if (file.startsWith(`${DIST}/`) && file !== path.join(DIST, 'main.js') && code.includes('import.meta.')) {
      const place = JSON.stringify(fromBundle(file));
      return code
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
        .replaceAll('import.meta.dirname', `decodeURI(new URL('.', new URL(${place}, import.meta.url)).pathname)`);
    }
    // These packages `require` packages of the bundle. Their own `require` would load a second copy.
    const own = 'const require = createRequire(import.meta.url);';
    if (/\/node_modules\/@nestjs\/(?:mapped-types|typeorm)\//.test(file) && code.includes(own))
      return code.replace(own, '');
    return null;
  },
};

/**
 * Bundles the service and its commands into a few files instead of 3,000, because finding files took half of the
 * processor time of a start. Code is not minified. Functions and classes keep their names, which stack traces, Nest and
 * TypeORM use.
 */
export default defineConfig({
  input: Object.fromEntries(['main', 'admin'].map((name) => [name, path.join(DIST, `${name}.js`)])),
  platform: 'node',
  tsconfig: false,
  plugins: [others, places],
  onLog(level, log, tell) {
    // Treats warnings as errors, because they may be faults at run time.
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
