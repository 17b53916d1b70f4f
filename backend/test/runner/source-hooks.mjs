import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync, version } from '@swc/core';

const FOLDERS = ['../../', '../../../tools/'].map((folder) => new URL(folder, import.meta.url).href);
const GLOBALS = new URL('jest-globals.mjs', import.meta.url).href;

/** Same options as `nest build`, but with SWC, which is several times as fast. */
const OPTIONS = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    experimental: { keepImportAttributes: true },
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

const CACHE = fileURLToPath(new URL('../../../.cache/swc/', import.meta.url));
const CACHE_KEY = JSON.stringify([version, OPTIONS]);
mkdirSync(CACHE, { recursive: true });

/** Transforms a source file, or returns the result that another test process has stored for the same text. */
function transformed(filename) {
  const source = readFileSync(filename, 'utf8');
  const stored = `${CACHE}${hash('sha256', `${CACHE_KEY}\n${filename}\n${source}`)}.js`;
  if (existsSync(stored)) return readFileSync(stored, 'utf8');
  const { code } = transformSync(source, { ...OPTIONS, filename });
  // Other processes may read the file at the same time.
  const incomplete = `${stored}.${process.pid}`;
  writeFileSync(incomplete, code);
  renameSync(incomplete, stored);
  return code;
}

/**
 * Makes the back end's TypeScript importable in this process, and `@jest/globals` usable outside jest's V8 contexts.
 */
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
    // Sources import the name of the compiled file, so `.js` is replaced by `.ts`.
    if (/^\..*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts') || !FOLDERS.some((folder) => url.startsWith(folder))) return next(url, context);
    return { format: 'module', source: transformed(fileURLToPath(url)), shortCircuit: true };
  },
});
