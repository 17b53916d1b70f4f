import type { LibraryKind } from '../common/library/library-kind.js';

export const SCRIPTS: LibraryKind = {
  records: 'scripts',
  revisions: 'script_revisions',
  stepField: 'scriptId',
  word: 'script',
};
