export interface RecordForm {
  name: string;
  description: string;
  content: string;
  /** Only for scripts; empty for a template. */
  interpreter: string;
}

export const emptyScript: RecordForm = { name: '', description: '', content: '#!/bin/sh\n', interpreter: '/bin/sh' };
export const emptyTemplate: RecordForm = { name: '', description: '', content: '', interpreter: '' };

type Stored = Omit<RecordForm, 'interpreter'> & { interpreter?: string };

export const formOf = ({ name, description, content, interpreter = '' }: Stored): RecordForm => ({
  name,
  description,
  content,
  interpreter,
});

export const templateOf = ({ interpreter: _, ...template }: RecordForm) => template;

/** Whether the editor has a field with this path. */
export const isRecordField = (path: string): boolean =>
  ['name', 'description', 'content', 'interpreter'].includes(path);
