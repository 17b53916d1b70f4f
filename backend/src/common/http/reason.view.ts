import type { ReasonCode } from '../errors/reason-codes.js';

/** Explanation of a status, state or refusal. */
export class Reason {
  /**
   * Stable code; `GET /api/docs/problems` lists all codes. More codes can be added.
   * @example "hosts_failed"
   */
  code: ReasonCode;
  /** Sentence for people: cause and advice. */
  text: string;
}

/** Reason of a host's status; a text without a code is a remark. */
export const toHostReason = (code: ReasonCode | null, text: string | null): Reason | null =>
  text === null ? toReason(code, text) : { code: code ?? 'remark', text };

/** Reason from two columns; null if there is none. */
export const toReason = (code: ReasonCode | null, text: string | null): Reason | null =>
  code === null ? null : { code, text: text ?? '' };
