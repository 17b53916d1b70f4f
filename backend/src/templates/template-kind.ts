import type { LibraryKind } from '../common/library/library-kind.js';

export const TEMPLATES: LibraryKind = {
  stepField: 'templateId',
  word: 'template',
};
