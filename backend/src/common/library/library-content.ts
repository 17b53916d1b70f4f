import type { ProblemItem } from '../errors/problem-item.js';
import { MAX_CONTENT_BYTES } from './library-kind.js';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$/;
const PATH = /^\/[^\s\p{Cc}\p{Surrogate}]{1,255}$/u;

/** Faults of a content that comes to be stored. */
export function contentProblems(content: string, path: string): ProblemItem[] {
  if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) {
    const message = `The content has at most ${MAX_CONTENT_BYTES / 1024} KiB. Let the host fetch larger files itself.`;
    return [{ path, code: 'too_long', message }];
  }
  if (!/[\0\p{Surrogate}]/u.test(content)) return [];
  return [{ path, code: 'invalid_text', message: 'Remove the NUL or the half of a character from the content.' }];
}

/** Faults of what is to run a script: one program, by name or by whole path. */
export function interpreterProblems(interpreter: string, path: string): ProblemItem[] {
  if (NAME.test(interpreter) || (PATH.test(interpreter) && !interpreter.endsWith('/'))) return [];
  const message =
    'Give the name of a program such as python3, or its whole path such as /usr/bin/python3, without arguments and spaces.';
  return [{ path, code: 'invalid_interpreter', message }];
}
