import {
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
} from 'typeorm';
import { DATABASE_PROBLEMS } from '../errors/problems/database-problems.js';
import { CURRENT_CODE_SETTING } from './schema-generation.js';

export type DatabaseErrorCause = keyof typeof DATABASE_PROBLEMS;

export interface DriverError {
  code?: string;
  constraint?: string;
  table?: string;
  message?: string;
  query?: string;
  driverError?: DriverError;
}

export const unwrapDriverError = (error: unknown): DriverError => {
  const outer = (error ?? {}) as DriverError;
  return outer.driverError ?? outer;
};

/** Keys: SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) or error code of Node.js. */
const CAUSES_BY_CODE: Readonly<Record<string, DatabaseErrorCause>> = {
  ...mapCodesToCause('database_unavailable', '08000', '08001', '08003', '08004', '08006', '57P01', '57P02', '53000'),
  ...mapCodesToCause('database_conflict', '40001', '40P01'),
  ...mapCodesToCause(
    'database_unavailable',
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOENT',
    'ETIMEDOUT',
    'EPIPE',
    'EHOSTUNREACH',
  ),
  ...mapCodesToCause('database_unavailable', 'ENETUNREACH', 'ECONNABORTED'),
  ...mapCodesToCause('database_unknown_host', 'ENOTFOUND', 'EAI_AGAIN'),
  ...mapCodesToCause('database_starting', '57P03'),
  ...mapCodesToCause('database_full', '53100'),
  ...mapCodesToCause('database_memory', '53200'),
  ...mapCodesToCause('database_connections', '53300'),
  ...mapCodesToCause('database_read_only', '25006'),
  ...mapCodesToCause('database_password', '28P01'),
  ...mapCodesToCause('database_login', '28000'),
  ...mapCodesToCause('database_missing', '3D000'),
  ...mapCodesToCause(
    'database_certificate',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_UNTRUSTED',
  ),
  ...mapCodesToCause('database_certificate', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
  ...mapCodesToCause(
    'database_certificate',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
  ),
  ...mapCodesToCause('database_certificate', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_SIGNATURE_FAILURE'),
};

/** Message patterns, first match wins, for errors of drivers and poolers whose code is missing or too general. */
const CAUSES_BY_MESSAGE: readonly [RegExp, DatabaseErrorCause][] = [
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
const BROKEN_TRANSACTION_ERRORS = [
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
];

/** Returns why the database is unusable; null = the error has another reason. */
export function findDatabaseErrorCause(error: unknown): DatabaseErrorCause | null {
  if (BROKEN_TRANSACTION_ERRORS.some((type) => error instanceof type)) return 'database_unavailable';
  const driverError = unwrapDriverError(error);
  if (driverError instanceof DatabaseUnusableError) return driverError.reason;
  const { code = '', constraint, message = '' } = driverError;
  if (constraint === CURRENT_CODE_SETTING) return 'newer_schema';
  return CAUSES_BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ?? CAUSES_BY_CODE[code] ?? null;
}

export class DatabaseUnusableError extends Error {
  override readonly name = 'DatabaseUnusable';

  constructor(readonly reason: DatabaseErrorCause) {
    super(DATABASE_PROBLEMS[reason].meaning);
  }
}

export function toOneLineMessage(cause: DatabaseErrorCause, error: unknown): string {
  const { meaning, advice } = DATABASE_PROBLEMS[cause];
  const { message = '', code } = unwrapDriverError(error);
  const messageText = (message || code || '').replace(/\s+/g, ' ');
  return `${meaning}${messageText === '' || messageText === meaning ? '' : ` (${messageText})`} ${advice}`;
}

function mapCodesToCause(cause: DatabaseErrorCause, ...codes: string[]): Record<string, DatabaseErrorCause> {
  return Object.fromEntries(codes.map((code) => [code, cause]));
}
