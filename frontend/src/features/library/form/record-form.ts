export interface SourceForm {
  /** Empty: none selected. */
  gitSourceId: string;
  path: string;
  /** Empty: the branch of the source. */
  ref: string;
}

export interface RecordForm {
  name: string;
  description: string;
  /** `here`: Runward stores the content. */
  from: 'here' | 'git';
  content: string;
  source: SourceForm;
  /** Empty: line 1 of the script decides, or the record is a template. */
  interpreter: string;
}

const NO_SOURCE: SourceForm = { gitSourceId: '', path: '', ref: '' };
const EMPTY = { name: '', description: '', from: 'here', source: NO_SOURCE } as const;

export const emptyScript: RecordForm = { ...EMPTY, content: '#!/bin/sh\n', interpreter: '' };
export const emptyTemplate: RecordForm = { ...EMPTY, content: '', interpreter: '' };

/** Fields of a stored script or template that the form edits. */
export interface StoredRecord {
  name: string;
  description: string;
  content: string;
  source: { gitSourceId: string; path: string; ref: string | null } | null;
  interpreter?: string | null;
}

export const formOf = ({ name, description, content, source, interpreter }: StoredRecord): RecordForm => ({
  name,
  description,
  from: source ? 'git' : 'here',
  content,
  source: source ? { ...source, ref: source.ref ?? '' } : NO_SOURCE,
  interpreter: interpreter ?? '',
});

const common = ({ name, description, from, content, source: { gitSourceId, path, ref } }: RecordForm) => ({
  name,
  description,
  ...(from === 'here' ? { content } : { source: { gitSourceId, path: path.trim(), ref: ref.trim() || null } }),
});

export const templateOf = (form: RecordForm) => common(form);
export const scriptOf = (form: RecordForm) => ({ ...common(form), interpreter: form.interpreter.trim() || null });

export const withoutByteOrderMark = (content: string): string => content.replace(/^\uFEFF/, '');
export const withUnixLineEnds = (content: string): string => content.replaceAll('\r\n', '\n');

const FIELDS = ['name', 'description', 'content', 'interpreter', 'source.gitSourceId', 'source.path', 'source.ref'];

export const isRecordField = (path: string): boolean => FIELDS.includes(path);
