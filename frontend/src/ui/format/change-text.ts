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
const RECORDS: Record<string, string> = {
  ssh_key: 'SSH key',
  execution: 'run',
  token: 'API token',
  oidc_trust_rule: 'trust rule',
  inventory_import: 'import',
};
/** Actions whose verb means something else than for other records. */
const ACTIONS: Record<string, string> = {
  'session.start': 'signed in',
  'session.end': 'signed out',
  'session.refuse': 'refused a sign-in:',
  'session.revoke': 'revoked a session of',
  'token.revoke': 'revoked API token',
  'execution.start': 'started run',
  'execution.running': 'began or continued run',
  'execution.paused': 'paused run',
  'execution.pending': 'kept waiting: run',
  'execution.succeeded': 'reported success of run',
  'execution.partially_succeeded': 'reported partial success of run',
  'execution.failed': 'reported failure of run',
  'execution.timed_out': 'timed out run',
  'execution.interrupted': 'reported interruption of run',
  'execution.expired': 'ended without a decision: run',
  'execution.approve': 'approved run',
  'execution.reject': 'rejected run',
  'execution.rejected': 'ended as rejected: run',
  'execution.decide': 'answered the pause of run',
  'execution.cancelling': 'requested cancellation of run',
  'execution.cancelled': 'cancelled run',
  'execution.pause': 'requested a pause of run',
  'member.create': 'added member',
  'member.remove': 'removed member',
  'member.change_password': 'changed the password of',
  'server.create': 'registered server',
  'server.check': 'checked server',
  'server.diagnose': 'diagnosed the connection to server',
  'server.accept_host_key': 'accepted the host key of server',
  'schedule.pause': 'paused schedule',
  'schedule.take_over': 'took over schedule',
  'schedule.not_started': 'started no run of schedule',
};

/** Returns the verb and the type of the record; unknown verbs keep their words. */
export function changeText(action: string): string {
  const own = ACTIONS[action];
  if (own !== undefined) return own;
  const [record = '', verb = ''] = action.split('.');
  const type = RECORDS[record] ?? record.replaceAll('_', ' ');
  return `${VERBS[verb] ?? `${verb.replaceAll('_', ' ')}:`} ${type}`;
}
