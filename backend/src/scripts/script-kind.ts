import { sql } from '../common/database/sql.js';
import type { LibraryKind } from '../library/library-kind.js';

export const SCRIPTS: LibraryKind = {
  stepField: 'scriptId',
  word: 'script',
  records: sql`scripts`,
  revisions: sql`script_revisions`,
};
