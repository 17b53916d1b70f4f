/** One kind of problem, as the catalogue describes it. */
export interface ProblemKind {
  /** HTTP status of every answer with this code. */
  readonly status: number;
  /** Short and the same in every answer (RFC 9457, 3.1.3). */
  readonly title: string;
  /** When it happens. */
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly advice: string;
}

/** Every `code` that an answer of the API may carry. Published under `PROBLEMS_PATH`: a code is never given another meaning. */
export const PROBLEM_CODES = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    meaning: 'The body, a query parameter or a header is malformed, unknown or out of its bounds. Nothing was changed.',
    advice: 'Correct what `errors` names: each entry has the place, a code of its own and a sentence.',
  },
  body_incomplete: {
    status: 400,
    title: 'Body incomplete',
    meaning: 'The connection ended before the whole request body had come.',
    advice: 'Send the request again.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The request carries no credentials, or they are wrong, expired or revoked.',
    advice: 'Sign in, or send `Authorization: Bearer` with an API token that is still valid.',
  },
  login_failed: {
    status: 401,
    title: 'Sign-in failed',
    meaning: 'E-mail address and password do not belong together, or the account is disabled.',
    advice: 'Check both. An admin can make a link with which you set a new password.',
  },
  insufficient_role: {
    status: 403,
    title: 'Role too low',
    meaning: "The caller's role does not allow this at all, whatever the record.",
    advice: 'Ask an admin of your tenant for the role that `detail` names.',
  },
  self_approval: {
    status: 403,
    title: 'Own run or own work',
    meaning:
      'The caller started the run, or saved a revision of its plan, or of a script or template of it, that has not run approved there, and the environment does not allow approving that.',
    advice: 'Let somebody else approve the run.',
  },
  cross_origin: {
    status: 403,
    title: 'Cross-origin request',
    meaning: 'A browser sent the request from a page of another site.',
    advice: 'Use the interface under its own address, or call the API with a token from outside a browser.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is no such path or record, or the caller may not see it. Both get the same answer.',
    advice: 'Check the id. If the record exists, ask an admin for a grant in its environment.',
  },
  link_invalid: {
    status: 404,
    title: 'Link not valid',
    meaning: 'The one-time link was used already, is too old, or was replaced by a newer one.',
    advice: 'Ask an admin for a new link.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but does not take this HTTP method.',
    advice: 'Use one of the methods that the header `Allow` names.',
  },
  body_too_slow: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The request body took too long to come.',
    advice: 'Send it again, faster or in smaller parts.',
  },
  already_decided: {
    status: 409,
    title: 'Already approved',
    meaning: 'The caller has approved this run already.',
    advice: 'Nothing is left to do; the run waits for others.',
  },
  already_finished: {
    status: 409,
    title: 'Already finished',
    meaning: 'The run is over, so it can not be cancelled, paused or changed.',
    advice: 'Start the plan again, or rerun this run.',
  },
  changed_meanwhile: {
    status: 409,
    title: 'Changed meanwhile',
    meaning: 'Somebody else saved the record at the same moment.',
    advice: 'Read it again and repeat your change.',
  },
  digest_changed: {
    status: 409,
    title: 'Digest changed',
    meaning: 'What would run now is not what the digest in the request stands for; `differences` names what is known.',
    advice: 'Look at the run or at another dry run, then repeat the request with the new digest.',
  },
  count_changed: {
    status: 409,
    title: 'Another number of servers',
    meaning: 'The request means another number of servers now than its `expectedCount`. Nothing was changed.',
    advice: 'Look at the servers again, and send the number that you see.',
  },
  duplicate_address: {
    status: 409,
    title: 'Machine there already',
    meaning:
      'The environment has a server with the same address, port and login, or a run would work twice on one machine.',
    advice: 'Use that server, or change or switch off one of the two.',
  },
  same_host_key: {
    status: 409,
    title: 'One machine under two names',
    meaning:
      'Servers that a run would work on have a pinned host key and the login in common, so the run would work twice on one machine. Nothing was started.',
    advice:
      'Select one of each pair that `detail` names, or delete or switch off the other. Copies with one key: give each its own, or have an admin mark the key as shared by several machines.',
  },
  duplicate_email: {
    status: 409,
    title: 'Address taken',
    meaning: 'The tenant has a member with this e-mail address.',
    advice: 'Use that member, or another address.',
  },
  duplicate_external_id: {
    status: 409,
    title: 'External id taken',
    meaning: 'The tenant has a server with the same source and external id.',
    advice: 'Use that server, or another id.',
  },
  collection_frozen: {
    status: 409,
    title: 'Collection frozen',
    meaning: 'The plan lies in a collection whose starts are refused for a time; `detail` says why, and until when.',
    advice: 'Wait for its end. An admin may lift the freeze, or start with `freezeOverride` and a reason.',
  },
  collection_path: {
    status: 409,
    title: 'No place for the collection',
    meaning: 'The collection would lie in itself, or too many levels deep.',
    advice: 'Choose another collection for it to lie in.',
  },
  duplicate_name: {
    status: 409,
    title: 'Name taken',
    meaning: 'A record of this kind has the same name; upper and lower case count as the same.',
    advice: 'Choose another name.',
  },
  grant_required: {
    status: 409,
    title: 'Grant required',
    meaning: 'The caller sees the record, but has too low a grant in its environment to change or approve it.',
    advice: 'Ask an admin for the grant that `detail` names.',
  },
  jump_path: {
    status: 409,
    title: 'No way through the jump server',
    meaning: 'A server would be reached through itself, or through more jump servers than a path may have.',
    advice: 'Choose another jump server, or change what the jump server itself is reached through.',
  },
  host_key_not_pinned: {
    status: 409,
    title: 'Host key not accepted',
    meaning: 'The server has no accepted host key.',
    advice: 'Check the server and accept the key that it shows first.',
  },
  host_key_not_seen: {
    status: 409,
    title: 'Host key not seen',
    meaning: 'The fingerprint is not the one that the last check of the server saw.',
    advice: "Check the server again and compare the fingerprint with the host's own.",
  },
  hosts_changed: {
    status: 409,
    title: 'Servers changed',
    meaning: 'A server is reached in another way now than in the run that is to be repeated exactly.',
    advice: 'Rerun with `snapshot: current`.',
  },
  hosts_gone: {
    status: 409,
    title: 'Servers gone',
    meaning: 'A server of the run that is to be repeated was deleted, disabled or moved to another environment.',
    advice: 'Put it back, or rerun with `snapshot: current`.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Still under way',
    meaning: 'The first request with this `Idempotency-Key` is still under way.',
    advice: 'Send it again after as many seconds as `Retry-After` says.',
  },
  not_frozen: {
    status: 409,
    title: 'Not frozen',
    meaning: 'Nothing holds the run back that could be overridden.',
    advice: 'Read the run again: it may have begun, or the freeze is over.',
  },
  too_many_collections: {
    status: 409,
    title: 'Too many collections',
    meaning: 'The tenant has as many collections as it may have.',
    advice: 'Delete collections that are not needed any more.',
  },
  in_use: {
    status: 409,
    title: 'In use',
    meaning: 'Other records or unfinished runs still use the record; `referrers` names those that the caller may see.',
    advice: 'Change or delete them first, or wait for the runs.',
  },
  last_admin: {
    status: 409,
    title: 'Last admin',
    meaning: 'The tenant would be left without an active admin.',
    advice: 'Make another member an admin first.',
  },
  library_missing: {
    status: 409,
    title: 'Script or template missing',
    meaning: 'A step of the plan names a script or template that does not exist any more.',
    advice: 'Choose another one in the plan.',
  },
  library_too_large: {
    status: 409,
    title: 'Scripts and templates too large',
    meaning: 'The scripts and templates of one run are larger together than a run may carry.',
    advice: 'Split the plan.',
  },
  missing_results: {
    status: 409,
    title: 'Results missing',
    meaning:
      'Steps of the rerun look back at results that the runs before do not have for some hosts; `missing` names them.',
    advice: 'Begin at an earlier step, choose other hosts, or send `acceptGaps`.',
  },
  mode_not_allowed: {
    status: 409,
    title: 'Mode not allowed',
    meaning: 'The plan or the environment does not allow runs in this mode.',
    advice: 'Use one of the modes that `detail` names.',
  },
  not_a_preview: {
    status: 409,
    title: 'No preview',
    meaning: 'Only the preview of an import that found nothing against it can be applied.',
    advice: 'Ask for a new preview and apply that.',
  },
  no_failed_hosts: {
    status: 409,
    title: 'No failed hosts',
    meaning: 'No host of the run failed, so there is none to run it again on.',
    advice: 'Rerun on all hosts.',
  },
  no_hosts_waiting: {
    status: 409,
    title: 'No hosts waiting',
    meaning: 'None of the hosts of the rotation that the request means is in a state in which this can be decided.',
    advice: 'List the hosts of the rotation and choose among those that failed.',
  },
  facts_missing: {
    status: 409,
    title: 'Facts missing',
    meaning:
      'A condition, command or file of the plan uses facts of hosts, and some of these have told nothing about themselves yet.',
    advice: 'Check the servers that `detail` names, which reads their facts, or leave them out of the run.',
  },
  no_targets: {
    status: 409,
    title: 'No targets',
    meaning: 'No enabled server matches the targets, or no step has a host among them.',
    advice: "Look at the servers' tags and at the selectors of plan, steps and start.",
  },
  no_unfinished_hosts: {
    status: 409,
    title: 'No unfinished hosts',
    meaning: 'Every host of the run has done all of its steps.',
    advice: 'Rerun on all hosts.',
  },
  not_decided: {
    status: 409,
    title: 'Nothing to take back',
    meaning: 'The caller has not approved this run.',
    advice: 'Nothing is left to do.',
  },
  nothing_to_rotate: {
    status: 409,
    title: 'Nothing to rotate',
    meaning: 'No server signs in with the key.',
    advice: 'Make a new key, and delete this one.',
  },
  rotation_open: {
    status: 409,
    title: 'Rotation open',
    meaning:
      'A rotation that the key takes part in, as the old key or the new one, is still open; `referrers` names it.',
    advice: 'Retry or give up the hosts that it waits for, then begin the next one.',
  },
  not_finished: {
    status: 409,
    title: 'Not finished',
    meaning: 'The request needs a run that is over.',
    advice: 'Wait for its end, answer its pause, or cancel it.',
  },
  not_possible_now: {
    status: 409,
    title: 'Not possible now',
    meaning: 'The run is in a state, or in another pause, in which this can not be done; `choices` names what can.',
    advice: 'Read the run again and choose anew.',
  },
  not_waiting: {
    status: 409,
    title: 'Not waiting',
    meaning: 'The run waits for nobody, or for something else than the request answers.',
    advice: 'Read the run again.',
  },
  nothing_to_resolve: {
    status: 409,
    title: 'Nothing to resolve',
    meaning: 'The result of this step on this host is known.',
    advice: 'Read the results again.',
  },
  nothing_to_retry: {
    status: 409,
    title: 'Nothing to retry',
    meaning: 'The hosts that are named did not fail at this step, or have gone on since.',
    advice: 'Leave `serverIds` out, or name hosts that failed.',
  },
  protected_host: {
    status: 409,
    title: 'Protected host',
    meaning:
      'A target is, by its address or host key, a server of another, protected environment, which is reached by approved runs only.',
    advice: 'Run the plan in that environment.',
  },
  run_overlap: {
    status: 409,
    title: 'Overlapping run',
    meaning:
      'Another run holds one of the hosts, or the plan in this environment; `conflicts` names what the caller may see.',
    advice: 'Wait for that run or cancel it. One that holds hosts with unknown results has to be resolved.',
  },
  secret_too_short: {
    status: 409,
    title: 'Secret too short',
    meaning: 'A secret that the earlier run froze is too short to be masked in output.',
    advice: 'Rerun with `snapshot: current`, after the secret was made longer.',
  },
  secrets_too_large: {
    status: 409,
    title: 'Secrets too large',
    meaning: 'The secrets of the environment or of the run are longer together than masking has memory for.',
    advice: 'Keep large texts in files on the hosts, or divide them among environments.',
  },
  servers_refused: {
    status: 409,
    title: 'Some servers refused',
    meaning:
      'Of the servers that were to be changed together some can not be; `refusals` names the first of them with a code and a sentence each. Nothing was changed.',
    advice: 'Leave those out, or send `partial: true` to change the others.',
  },
  tenant_required: {
    status: 409,
    title: 'Tenant required',
    meaning: 'The address and the password belong to members of several tenants.',
    advice: 'Name one of the tenants in `tenant`.',
  },
  too_many_servers: {
    status: 409,
    title: 'Too many servers',
    meaning: 'More servers fit the filter than one request may change.',
    advice: 'Narrow the filter.',
  },
  too_many_targets: {
    status: 409,
    title: 'Too many targets',
    meaning: 'More servers match than one run may have.',
    advice: 'Narrow the targets.',
  },
  too_much_to_inherit: {
    status: 409,
    title: 'Too much to take over',
    meaning: 'The rerun would take over more results or outputs of the runs before than a run may hold.',
    advice: 'Rerun on fewer hosts, or from the first step.',
  },
  too_many_variables: {
    status: 409,
    title: 'Too many variables',
    meaning: 'The environment or the server has as many variables as it may have.',
    advice: 'Delete one first.',
  },
  variables_too_large: {
    status: 409,
    title: 'Variables too large',
    meaning: 'The variables of the server, or those of all hosts of the run, are longer together than is kept.',
    advice: 'Keep large content in files on the hosts, or start on fewer hosts.',
  },
  version_mismatch: {
    status: 412,
    title: 'Precondition failed',
    meaning: 'The record has changed since the caller read the version that `If-Match` names.',
    advice: 'Read it again and repeat your change.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'The request body is larger than the route takes: 16 KiB without credentials, 1 MiB else.',
    advice: 'Send less.',
  },
  unsupported_encoding: {
    status: 415,
    title: 'Unsupported encoding',
    meaning: 'The request body is compressed.',
    advice: 'Send it without `Content-Encoding`.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The request body is not declared as JSON.',
    advice: 'Send `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'The `Idempotency-Key` was sent with another request in the last 24 hours.',
    advice: 'Use a new key for a new request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning: 'The caller has used its quota of requests up; the headers `RateLimit` and `RateLimit-Policy` tell it.',
    advice: 'Send the request again after as many seconds as `Retry-After` says.',
  },
  too_many_at_once: {
    status: 429,
    title: 'Too many at once',
    meaning: 'Too much of the same caller or tenant waits to be worked on already. Nothing was changed.',
    advice: 'Send the request again after as many seconds as `Retry-After` says, and fewer at a time.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many attempts',
    meaning: 'Too many sign-ins failed for this account or from this network.',
    advice: 'Try again after as many seconds as `Retry-After` says.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'Something went wrong inside the service.',
    advice: 'Give the `requestId` to whoever runs the service: its log tells more under it.',
  },
  busy: {
    status: 503,
    title: 'Busy',
    meaning: 'There is more to do at the moment than is kept waiting. Nothing was changed.',
    advice: 'Send the request again after as many seconds as `Retry-After` says.',
  },
  database_unavailable: {
    status: 503,
    title: 'Service unavailable',
    meaning: 'The database does not answer.',
    advice: 'Send the request again after as many seconds as `Retry-After` says.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Where the catalogue is published; each code is an anchor there. */
export const PROBLEMS_PATH = '/api/docs/problems';
