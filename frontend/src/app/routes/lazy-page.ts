import { lazyRouteComponent } from '@tanstack/react-router';

/** Scripts or styles of a page could not be loaded: the server is unreachable, or an upgrade has removed them. */
export class PageLoadError extends Error {}

/** Like `lazyRouteComponent`, which would reload the page without a connection. */
export const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(
    () =>
      importer().catch((cause: unknown) => {
        throw new PageLoadError('The page could not be loaded.', { cause });
      }),
    name,
  );

/** Also recognises errors of dialogs, which load later than their page. */
export const isLoadError = (error: unknown): boolean =>
  error instanceof PageLoadError ||
  (error instanceof Error &&
    /dynamically imported module|Importing a module script failed|Unable to preload CSS/.test(error.message));
