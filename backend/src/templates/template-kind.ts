import { sql } from '../common/database/sql.js';
import type { LibraryKind } from '../library/library-kind.js';

export const TEMPLATES: LibraryKind = {
  stepField: 'templateId',
  word: 'template',
  records: sql`templates`,
  revisions: sql`template_revisions`,
};
