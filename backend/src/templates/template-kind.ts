import type { LibraryKind } from '../common/library/library-kind.js';

export const TEMPLATES: LibraryKind = {
  records: 'templates',
  revisions: 'template_revisions',
  stepField: 'templateId',
  word: 'template',
};
