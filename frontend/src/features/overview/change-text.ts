/** Verbs of audit actions as sentences: "Ana changed plan Deploy shop". */
const VERBS: Record<string, string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  restore: 'restored a revision of',
  release: 'released from its git folder',
  grant: 'changed access to',
  revoke: 'revoked access to',
  set_variable: 'set a variable of',
  delete_variable: 'deleted a variable of',
  protection_request: 'requested weaker protection of',
  protection_applied: 'applied weaker protection to',
  protection_rejected: 'rejected weaker protection of',
  protection_withdrawn: 'withdrew the request for weaker protection of',
  protection_override: 'overrode the protection of',
  generate: 'generated',
  import: 'imported',
  rotate: 'rotated',
  put_certificate: 'stored a certificate of',
  delete_certificate: 'deleted the certificate of',
};
const RECORDS: Record<string, string> = { ssh_key: 'SSH key' };

/** Returns the verb and the type of the record; unknown verbs keep their words. */
export function changeText(action: string): string {
  const [record = '', verb = ''] = action.split('.');
  const type = RECORDS[record] ?? record.replaceAll('_', ' ');
  return `${VERBS[verb] ?? `${verb.replaceAll('_', ' ')}:`} ${type}`;
}
