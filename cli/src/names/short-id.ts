import { EXIT } from '../terminal/exit-codes.ts';
import { createFailure, type Failure } from '../terminal/failure.ts';

/** Length of the end of an ID that Runward shows instead of the ID. The beginning of an ID is its time. */
const SHORT_ID_LENGTH = 8;
const SHORT_ID_PATTERN = /^[0-9a-f]{8,12}$/i;

export const toShortId = (id: string): string => id.slice(-SHORT_ID_LENGTH);

/** Whether a text can be the end of an ID. Shorter texts are too often ambiguous. */
export const isShortId = (text: string): boolean => SHORT_ID_PATTERN.test(text);

export const endsWithShortId = (id: string, shortId: string): boolean => id.endsWith(shortId.toLowerCase());

/** @param candidates lines with the ID first */
export const ambiguousFailure = (detail: string, candidates: readonly string[]): Failure =>
  createFailure('ambiguous_name', 'Ambiguous name', detail, EXIT.usage, candidates);
