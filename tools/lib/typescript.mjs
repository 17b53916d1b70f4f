/**
 * Makes TypeScript files of the tools and of the tests importable without a build: Node.js removes their types. Their
 * imports of the back end get its compiled files, because Node.js does not compile decorators.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { inRoot } from '../../scripts/lib/paths.mjs';

const SOURCES = pathToFileURL(inRoot('backend/src/')).href;
const COMPILED = pathToFileURL(inRoot('backend/dist/')).href;

registerHooks({
  resolve(specifier, context, next) {
    if (!context.parentURL?.endsWith('.ts')) return next(specifier, context);
    // Packages have the version of the back end.
    if (!specifier.startsWith('.')) return next(specifier, { ...context, parentURL: COMPILED });
    const file = new URL(specifier, context.parentURL).href;
    return next(file.startsWith(SOURCES) ? file.replace(SOURCES, COMPILED) : file.replace(/\.js$/, '.ts'), context);
  },
});
