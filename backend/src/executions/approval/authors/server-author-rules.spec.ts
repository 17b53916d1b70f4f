import { expect, it } from '@jest/globals';
import { type ServerField, SERVER_COLUMNS } from '../../../inventory/fields/server-fields.js';
import { isPartOfDigest, isSetting } from '../../../inventory/fields/server-settings.js';
import { RECORD_AUTHOR_RULES } from './author-kinds.js';

/** Columns that runs do not read, so that who changed them may approve. */
const COLUMNS_OUTSIDE_RUNS: readonly string[] = ['externalSource', 'externalId'] satisfies ServerField[];

/** Audit entries of servers contain both columns of pinned keys as one field. */
const AUDITED_NAMES: Record<string, string> = { hostKey: 'hostKeys', moreHostKeys: 'hostKeys' };

const isRead = (column: string) =>
  isSetting(column) ? isPartOfDigest(column) : !COLUMNS_OUTSIDE_RUNS.includes(column);

it('makes who changed a column that runs read an author of these runs', () => {
  const columns = Object.entries(SERVER_COLUMNS).flatMap(([column, kind]) =>
    kind === 'observed' || kind === 'record' || !isRead(column) ? [] : [column],
  );
  const fields = RECORD_AUTHOR_RULES.filter(({ actions }) => actions.includes('server.update')).flatMap(
    (rule) => rule.fields ?? [],
  );
  const faults = columns
    .filter((column) => !fields.includes(AUDITED_NAMES[column] ?? column))
    .map(
      (column) =>
        `A member who changed "${column}" of a server could approve runs on it. Add it to the fields of "server.update" in RECORD_AUTHOR_RULES (author-kinds.ts), or to COLUMNS_OUTSIDE_RUNS here if no run reads it.`,
    );
  expect(faults).toEqual([]);
});
