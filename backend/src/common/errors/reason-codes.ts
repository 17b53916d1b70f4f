import type { FaultCode } from './fault-codes.js';
import type { ProblemCode } from './problem-codes.js';
import { RUN_REASONS } from './reasons/run-reasons.js';

/**
 * Every `code` of a reason that is not also the code of a problem or fault, with its meaning. Published with them, so a
 * code never changes its meaning.
 */
export const REASON_CODES = { ...RUN_REASONS };

export type ReasonCode = keyof typeof REASON_CODES | ProblemCode | FaultCode;
