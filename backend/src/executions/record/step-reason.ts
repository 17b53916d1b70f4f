import type { StatusReason } from '../lifecycle/run-state.js';

/** Returns the reason of a step's status. Steps from before reason codes existed have only a text. */
export const toStepReason = (row: { reason: string | null; reason_code: string | null }): StatusReason | null =>
  row.reason === null ? null : { code: row.reason_code ?? 'not_recorded', text: row.reason };
