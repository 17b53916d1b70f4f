import type { ProblemKind } from './problem-kind.js';

/** Problems of any request: how it is sent, who sends it, and whether the service can answer. */
export const REQUEST_PROBLEMS = {
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
  insufficient_role: {
    status: 403,
    title: 'Role too low',
    meaning: "The caller's role does not allow this at all, whatever the record.",
    advice: 'Ask an admin of your tenant for the role that `detail` names.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Token too narrow',
    meaning:
      'The token was made for less than its member may do: to read only, to start runs only, or for some environments or plans.',
    advice: 'Use a token that may do it; `GET /api/auth/me` tells what this one may.',
  },
  person_required: {
    status: 403,
    title: 'Person required',
    meaning:
      'Only people approve, change members, grants, service accounts and trust rules, weaken protection and delete evidence. A service account sent the request, or a token that was exchanged for one of an identity provider.',
    advice: 'A person with the right sends it: signed in, or with an API token of their own.',
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
  changed_meanwhile: {
    status: 409,
    title: 'Changed meanwhile',
    meaning: 'Somebody else saved the record at the same moment.',
    advice: 'Read it again and repeat your change.',
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
  idempotency_in_progress: {
    status: 409,
    title: 'Still under way',
    meaning: 'The first request with this `Idempotency-Key` is still under way.',
    advice: 'Send it again after as many seconds as `Retry-After` says.',
  },
  in_use: {
    status: 409,
    title: 'In use',
    meaning: 'Other records or unfinished runs still use the record; `referrers` names those that the caller may see.',
    advice: 'Change or delete them first, or wait for the runs.',
  },
  outside_scope: {
    status: 409,
    title: 'Outside of the token',
    meaning: 'The token is narrowed to environments, and what is to be changed would be, or is, used outside of them.',
    advice: 'Bind the plan to an environment of the token, or use a token that is not narrowed.',
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
  installation_held: {
    status: 503,
    title: 'Installation held',
    meaning:
      'The installation is held: an operator stopped it, or its database may be a copy of another installation. Everything can be read. Nothing was changed.',
    advice: '`detail` gives the reason and the command that ends it; `GET /api/installation` reports the state.',
  },
  installation_draining: {
    status: 503,
    title: 'Installation draining',
    meaning: 'An operator lets running runs end before maintenance. Nothing new starts. Nothing was changed.',
    advice: 'Start it again after maintenance; `GET /api/installation` reports the state.',
  },
} as const satisfies Record<string, ProblemKind>;
