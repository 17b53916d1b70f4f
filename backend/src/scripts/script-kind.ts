import type { LibraryKind } from '../common/library/library-kind.js';

export const SCRIPTS: LibraryKind = {
  stepField: 'scriptId',
  word: 'script',
};
