import type { FaultCode } from './fault-codes.js';
import type { ProblemCode } from './problem-codes.js';
import { CONNECTION_REASONS } from './reasons/connection-reasons.js';
import { CONTENT_REASONS } from './reasons/content-reasons.js';
import { DELIVERY_REASONS } from './reasons/delivery-reasons.js';
import { DRY_RUN_REASONS } from './reasons/dry-run-reasons.js';
import { GIT_REASONS } from './reasons/git-reasons.js';
import { HOST_REASONS } from './reasons/host-reasons.js';
import { INVENTORY_REASONS } from './reasons/inventory-reasons.js';
import { RECORD_REASONS } from './reasons/record-reasons.js';
import { RUN_REASONS } from './reasons/run-reasons.js';
import { SCHEDULE_REASONS } from './reasons/schedule-reasons.js';

/**
 * Every `code` of a reason that is not also the code of a problem or fault, with its meaning. Published with them, so a
 * code never changes its meaning.
 */
export const REASON_CODES = {
  ...CONNECTION_REASONS,
  ...CONTENT_REASONS,
  ...DELIVERY_REASONS,
  ...DRY_RUN_REASONS,
  ...GIT_REASONS,
  ...HOST_REASONS,
  ...INVENTORY_REASONS,
  ...RECORD_REASONS,
  ...RUN_REASONS,
  ...SCHEDULE_REASONS,
};

export type ReasonCode = keyof typeof REASON_CODES | ProblemCode | FaultCode;
