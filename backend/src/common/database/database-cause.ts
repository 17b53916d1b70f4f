import {
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
} from 'typeorm';
import { DATABASE_PROBLEMS } from '../errors/problems/database-problems.js';
import { CURRENT_CODE_SETTING } from './schema-generation.js';

export type DatabaseCause = keyof typeof DATABASE_PROBLEMS;

export interface DriverError {
  code?: string;
  constraint?: string;
  table?: string;
  message?: string;
  query?: string;
  driverError?: DriverError;
}

export const driverErrorOf = (error: unknown): DriverError => {
  const outer = (error ?? {}) as DriverError;
  return outer.driverError ?? outer;
};

/** Keys: SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) or error code of Node.js. */
const CAUSES_BY_CODE: Readonly<Record<string, DatabaseCause>> = {
  ...to('database_unavailable', '08000', '08001', '08003', '08004', '08006', '57P01', '57P02', '53000'),
  ...to('database_conflict', '40001', '40P01'),
  ...to('database_unavailable', 'ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH'),
  ...to('database_unavailable', 'ENETUNREACH', 'ECONNABORTED'),
  ...to('database_unknown_host', 'ENOTFOUND', 'EAI_AGAIN'),
  ...to('database_starting', '57P03'),
  ...to('database_full', '53100'),
  ...to('database_memory', '53200'),
  ...to('database_connections', '53300'),
  ...to('database_read_only', '25006'),
  ...to('database_password', '28P01'),
  ...to('database_login', '28000'),
  ...to('database_missing', '3D000'),
  ...to('database_certificate', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_UNTRUSTED'),
  ...to('database_certificate', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
  ...to('database_certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'),
  ...to('database_certificate', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_SIGNATURE_FAILURE'),
};

/** Message patterns, first match wins, for errors of drivers and poolers whose code is missing or too general. */
const CAUSES_BY_MESSAGE: readonly [RegExp, DatabaseCause][] = [
  [/no pg_hba\.conf entry .*(no encryption|SSL off)|SSL required|SSL connection is required/i, 'database_tls_required'],
  [/server does not support SSL connections|error establishing an SSL connection/, 'database_tls_missing'],
  [/password authentication failed|SASL authentication failed|client password must be a string/, 'database_password'],
  [/no more connections allowed|too many clients|query_wait_timeout|server_login_retry/, 'database_connections'],
  [/no such (database|user)/, 'database_login'],
  [/Connection terminated|Query read timeout|timeout exceeded when trying to connect/, 'database_unavailable'],
  [/Client has encountered a connection error|^timeout expired$/, 'database_unavailable'],
  [/cached plan must not change result type|prepared statement "[^"]*" does not exist/, 'database_unavailable'],
];

/** TypeORM's messages when the connection broke between two statements of a unit of work. */
const BROKEN_UNIT_CODES = [
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
];

/** Returns why the database is unusable; null = the error has another reason. */
export function databaseCause(error: unknown): DatabaseCause | null {
  if (BROKEN_UNIT_CODES.some((type) => error instanceof type)) return 'database_unavailable';
  const driverError = driverErrorOf(error);
  if (driverError instanceof DatabaseUnusable) return driverError.reason;
  const { code = '', constraint, message = '' } = driverError;
  if (constraint === CURRENT_CODE_SETTING) return 'newer_schema';
  return CAUSES_BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? CAUSES_BY_CODE[code] ?? null;
}

export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';

  constructor(readonly reason: DatabaseCause) {
    super(DATABASE_PROBLEMS[reason].meaning);
  }
}

export function inOneLine(cause: DatabaseCause, error: unknown): string {
  const { meaning, advice } = DATABASE_PROBLEMS[cause];
  const { message = '', code } = driverErrorOf(error);
  const messageText = (message || code || '').replace(/\s+/g, ' ');
  return `${meaning}${messageText === '' || messageText === meaning ? '' : ` (${messageText})`} ${advice}`;
}

function to(cause: DatabaseCause, ...codes: string[]): Record<string, DatabaseCause> {
  return Object.fromEntries(codes.map((code) => [code, cause]));
}
