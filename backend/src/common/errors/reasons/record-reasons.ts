/** Why an installation, audit trail or certificate has its state. */
export const RECORD_REASONS = {
  certificate_expired: 'The SSH certificate has expired.',
  certificate_not_yet_valid: 'The SSH certificate is not valid yet.',
  changed: 'An entry of the audit trail was changed.',
  cut: 'The end of the audit trail is missing.',
  head_changed: 'The head of the audit trail was changed.',
  missing: 'An entry of the audit trail is missing.',
  stopped_by_operator: 'An operator stopped the installation.',
} as const satisfies Record<string, string>;
