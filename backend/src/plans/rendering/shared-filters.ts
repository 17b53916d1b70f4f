import { ADDRESS_FILTERS } from '../../templates/rendering/filters/address-filters.ts';
import { DATA_FILTERS } from '../../templates/rendering/filters/data-filters.ts';
import { type FilterFunction, ValueError } from '../../templates/rendering/filters/filter-value.ts';
import { TEXT_FILTERS } from '../../templates/rendering/filters/text-filters.ts';

type Filter = (value: unknown, ...args: unknown[]) => unknown;

/** Filters of templates. All are cheap for any input, because commands are rendered on the event loop. */
const SHARED_FILTERS: Readonly<Record<string, FilterFunction | undefined>> = {
  ...ADDRESS_FILTERS,
  b64decode: TEXT_FILTERS.b64decode,
  b64encode: TEXT_FILTERS.b64encode,
  basename: TEXT_FILTERS.basename,
  bool: TEXT_FILTERS.bool,
  dirname: TEXT_FILTERS.dirname,
  hash: TEXT_FILTERS.hash,
  int: TEXT_FILTERS.int,
  to_json: DATA_FILTERS.to_json,
  url_encode: TEXT_FILTERS.url_encode,
  urlencode: TEXT_FILTERS.urlencode,
};

/**
 * Wraps the shared filters for values of commands.
 *
 * @param usable returns the value if a filter may read it, else throws
 * @param refused creates the error, with this message, for a value that the filter does not accept
 */
export function createSharedFilters(
  usable: (value: unknown) => unknown,
  refused: (message: string) => Error,
): Record<string, Filter> {
  const filters = Object.entries(SHARED_FILTERS).flatMap(([name, filter]): [string, Filter][] =>
    filter ? [[name, filter]] : [],
  );
  return Object.fromEntries(
    filters.map(([name, filter]): [string, Filter] => [
      name,
      (value, ...args) => {
        try {
          return filter(usable(value), ...args);
        } catch (error) {
          throw error instanceof ValueError ? refused(error.message) : error;
        }
      },
    ]),
  );
}
