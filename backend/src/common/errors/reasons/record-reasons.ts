/** Why an installation, audit trail or run window has its state. */
export const RECORD_REASONS = {
  changed: 'An entry of the audit trail was changed.',
  cut: 'The end of the audit trail is missing.',
  head_changed: 'The head of the audit trail was changed.',
  missing: 'An entry of the audit trail is missing.',
  stopped_by_operator: 'An operator stopped the installation.',
} as const satisfies Record<string, string>;
