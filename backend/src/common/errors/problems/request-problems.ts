import type { ProblemKind } from './problem-kind.js';

export const REQUEST_PROBLEMS = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    meaning: 'The body, a query parameter or a header is malformed, unknown or out of range. Nothing was changed.',
    advice: 'Correct the entries of `errors`: each has a path, a code and a message.',
  },
  client_missing: {
    status: 404,
    title: 'Client missing',
    meaning: 'The installation was built without the TypeScript client, so it cannot serve it.',
    advice: 'Run `npm run build:client` in the folder of the installation.',
  },
  command_line_missing: {
    status: 404,
    title: 'Command line missing',
    meaning: 'The installation was built without the command line, so it cannot serve it.',
    advice: 'Run `npm run build:cli` in the folder of the installation.',
  },
  body_incomplete: {
    status: 400,
    title: 'Body incomplete',
    meaning: 'The connection ended before the whole request body arrived.',
    advice: 'Send the request again.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The request has no credentials, or they are wrong, expired or revoked.',
    advice: 'Sign in, or send `Authorization: Bearer` with a valid API token.',
  },
  insufficient_role: {
    status: 403,
    title: 'Role too low',
    meaning: 'Your role does not allow this operation on any record.',
    advice: 'Ask an admin of your tenant for the role in `detail`.',
  },
  grant_required: {
    status: 403,
    title: 'Grant required',
    meaning: 'You can see the record, but your grant in its environment does not allow this operation.',
    advice: 'Ask an admin for the grant in `detail`.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Token too narrow',
    meaning:
      'The scope of the token does not include this operation: it may be limited to reading, to starting runs, or to some environments or plans.',
    advice: 'Use a token with a wider scope. `GET /api/auth/me` returns the scope of this one.',
  },
  person_required: {
    status: 403,
    title: 'Person required',
    meaning:
      'Only people may approve, change members, grants, service accounts and trust rules, weaken protection, and delete evidence. A service account or an exchanged token sent the request.',
    advice: 'A person with the right must send it: signed in, or with their own API token.',
  },
  cross_origin: {
    status: 403,
    title: 'Cross-origin request',
    meaning: 'A browser sent the request from a page of another site.',
    advice: 'Open the dashboard at its own address, or call the API with a token from outside a browser.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is no such path or record, or you cannot see it. Both get the same answer.',
    advice: 'Check the ID. If the record exists, ask an admin for a grant in its environment.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but does not support this HTTP method.',
    advice: 'Use one of the methods in the header `Allow`.',
  },
  body_too_slow: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The request body took too long to arrive.',
    advice: 'Send it again, faster or in smaller parts.',
  },
  changed_meanwhile: {
    status: 409,
    title: 'Concurrent change',
    meaning: 'Someone else saved the record at the same moment.',
    advice: 'Read the record again and repeat your change.',
  },
  duplicate_name: {
    status: 409,
    title: 'Name taken',
    meaning: 'A record of this kind already has this name. Names are not case-sensitive.',
    advice: 'Choose another name.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request in progress',
    meaning: 'The first request with this `Idempotency-Key` has not finished.',
    advice: 'Wait for the number of seconds in `Retry-After`, then send it again.',
  },
  in_use: {
    status: 409,
    title: 'In use',
    meaning: 'Other records or unfinished runs use the record. `referrers` lists those that you can see.',
    advice: 'Change or delete them first, or wait for the runs to end.',
  },
  outside_scope: {
    status: 409,
    title: 'Outside the scope of the token',
    meaning: 'The token is limited to environments, and the record is or would be used outside them.',
    advice: 'Bind the plan to an environment of the token, or use a token without that limit.',
  },
  version_mismatch: {
    status: 412,
    title: 'Precondition failed',
    meaning: 'The record has changed since you read the version in `If-Match`.',
    advice: 'Read the record again and repeat your change.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'The request body is larger than the limit of the route: 16 KiB without credentials, 1 MiB otherwise.',
    advice: 'Send a smaller body.',
  },
  unsupported_encoding: {
    status: 415,
    title: 'Unsupported encoding',
    meaning: 'The request body is compressed.',
    advice: 'Send the body without `Content-Encoding`.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The content type of the request body is not JSON.',
    advice: 'Send `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'The `Idempotency-Key` was used for a different request in the last 24 hours.',
    advice: 'Use a new key for a new request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning: 'You have used up your request quota. The headers `RateLimit` and `RateLimit-Policy` report it.',
    advice: 'Wait for the number of seconds in `Retry-After`, then send the request again.',
  },
  too_many_at_once: {
    status: 429,
    title: 'Too many concurrent requests',
    meaning: 'Too many requests of the same caller or tenant are already waiting. Nothing was changed.',
    advice: 'Wait for the number of seconds in `Retry-After`, and send fewer requests at a time.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'An unexpected error occurred in Runward.',
    advice: 'Send the `requestId` to the operator of the installation, who can search the server log for it.',
  },
  busy: {
    status: 503,
    title: 'Busy',
    meaning: 'The server has more work waiting than it accepts. Nothing was changed.',
    advice: 'Wait for the number of seconds in `Retry-After`, then send the request again.',
  },
  installation_held: {
    status: 503,
    title: 'Installation held',
    meaning:
      'The installation is held: an operator stopped it, or its database may be a copy of another installation. Reading is possible. Nothing was changed.',
    advice: '`detail` contains the reason and the command that ends it. `GET /api/installation` reports the state.',
  },
  installation_draining: {
    status: 503,
    title: 'Installation draining',
    meaning:
      'An operator waits for running runs to end before maintenance. New runs do not start. Nothing was changed.',
    advice: 'Start it again after maintenance. `GET /api/installation` reports the state.',
  },
} as const satisfies Record<string, ProblemKind>;
