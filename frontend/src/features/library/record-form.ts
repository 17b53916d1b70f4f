/** A script or template while it is edited. */
export interface RecordForm {
  name: string;
  description: string;
  content: string;
  /** Of a script; empty for a template. */
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

/** What a template is saved with. */
export const templateOf = ({ interpreter: _, ...template }: RecordForm) => template;

/** Whether the editor draws a field with this path. */
export const isRecordField = (path: string): boolean =>
  ['name', 'description', 'content', 'interpreter'].includes(path);
