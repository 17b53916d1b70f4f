import type { ProblemItem } from '../common/errors/problem-item.js';
import { findContentPointer, describePointer } from './content-pointer.js';
import { type ContentSource, MAX_CONTENT_BYTES } from './library-kind.js';

const INTERPRETER_NAME_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$/;
const INTERPRETER_PATH_PATTERN = /^\/[^\s\p{Cc}\p{Surrogate}]{1,255}$/u;

export function findContentProblems(content: string, path: string): ProblemItem[] {
  if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) {
    const message = `The content has at most ${MAX_CONTENT_BYTES / 1024} KiB. Make the host download larger files.`;
    return [{ path, code: 'too_long', message }];
  }
  const pointer = findContentPointer(Buffer.from(content));
  if (pointer) return [{ path, code: 'content_missing', message: describePointer('The content', pointer) }];
  if (!/[\0\p{Surrogate}]/u.test(content)) return [];
  return [{ path, code: 'invalid_text', message: 'Remove the NUL or the unpaired surrogate from the content.' }];
}

export interface RequestedContent {
  content?: string;
  source?: { gitSourceId: string; path: string; ref?: string | null };
}

/** Requires either `content` or `source` for a new record, and at most one of them otherwise. */
export function findContentChoiceProblems({ content, source }: RequestedContent, isNew: boolean): ProblemItem[] {
  if (content !== undefined && source !== undefined)
    return [{ path: '/source', code: 'conflicting_fields', message: 'Send either content or source, not both.' }];
  if (!isNew || content !== undefined || source !== undefined) return [];
  return [
    { path: '/content', code: 'required', message: 'Send content, or source with its location in a git source.' },
  ];
}

/** Returns the content to store. Keeps the current content if the request has none or repeats it. */
export function toStoredContent(
  { content, source }: RequestedContent,
  before: { content: string; source: ContentSource | null } = { content: '', source: null },
): { content: string; source: ContentSource | null } {
  const sentBack = before.source !== null && content === before.content;
  if (content !== undefined && !sentBack) return { content, source: null };
  if (source === undefined) return { content: before.content, source: before.source };
  return { content: '', source: { gitSourceId: source.gitSourceId, path: source.path, ref: source.ref ?? null } };
}

/** Returns faults of an interpreter, which must be one program, by name or absolute path. */
export function findInterpreterProblems(interpreter: string, path: string): ProblemItem[] {
  if (
    INTERPRETER_NAME_PATTERN.test(interpreter) ||
    (INTERPRETER_PATH_PATTERN.test(interpreter) && !interpreter.endsWith('/'))
  )
    return [];
  const message =
    'Send the name of a program such as python3, or its absolute path such as /usr/bin/python3, without arguments and spaces.';
  return [{ path, code: 'invalid_interpreter', message }];
}
