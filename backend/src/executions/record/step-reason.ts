import type { StatusReason } from '../lifecycle/run-state.js';

/** Why a step has its status, as its row tells; steps of before reasons had codes have none of their own. */
export const stepReason = (row: { reason: string | null; reason_code: string | null }): StatusReason | null =>
  row.reason === null ? null : { code: row.reason_code ?? 'not_recorded', text: row.reason };
