import {
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
} from 'typeorm';
import { conflict, databaseUnavailable, newerSchema, notFound, type Problem } from '../errors/problem.js';
import { CURRENT_CODE } from './schema-generation.js';

/** PostgreSQL's class 08 and 57 conditions and the socket errors that mean "the database is away". */
const AWAY = new Set([
  ...['08000', '08001', '08003', '08004', '08006', '57P01', '57P02', '57P03', '53300'],
  // It is there and can't take anything for now: full disk, no memory, a standby since the fail-over.
  ...['53000', '53100', '53200', '25006'],
  // Two units were in each other's way: the same once more goes through.
  ...['40001', '40P01'],
]);
const AWAY_SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENOTFOUND',
]);

interface DriverError {
  code?: string;
  constraint?: string;
  table?: string;
  message?: string;
  /** The statement that failed, as TypeORM tells it. */
  query?: string;
  driverError?: DriverError;
}

const driverErrorOf = (error: unknown): DriverError => {
  const outer = (error ?? {}) as DriverError;
  return outer.driverError ?? outer;
};

/** What TypeORM throws into a unit of work whose connection broke between two of its statements. */
const BROKEN_UNIT = [
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
];

/** Whether a newer version has upgraded the database and closed it to this code. */
export const isClosedToThisCode = (error: unknown): boolean => driverErrorOf(error).constraint === CURRENT_CODE;

/** Whether this error means that the database can't be reached or used now, and that the same may go through later. */
export function isDatabaseAway(error: unknown): boolean {
  const { code, message } = driverErrorOf(error);
  return (
    BROKEN_UNIT.some((type) => error instanceof type) ||
    isClosedToThisCode(error) ||
    (code !== undefined && (AWAY.has(code) || AWAY_SOCKET.has(code))) ||
    /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|cached plan must not change result type|prepared statement "[^"]*" does not exist/.test(
      message ?? '',
    )
  );
}

/** The name of the violated constraint when this error is that violation, else null. */
export function violated(error: unknown, kind: 'unique' | 'foreign_key'): string | null {
  const { code, constraint } = driverErrorOf(error);
  return code === (kind === 'unique' ? '23505' : '23503') ? (constraint ?? '') : null;
}

/** Translates what the database refuses, once for all rooms: duplicates and references. */
export function databaseProblem(error: unknown): Problem | null {
  if (isClosedToThisCode(error)) return newerSchema();
  if (isDatabaseAway(error)) return databaseUnavailable();
  const unique = violated(error, 'unique');
  if (unique !== null) {
    if (unique === 'servers_external')
      return conflict(
        'duplicate_external_id',
        'Another server has this source and external id already. Change that one, or choose another id.',
      );
    return conflict('duplicate_name', 'That name is taken already. Choose another one; names are unique.');
  }
  if (violated(error, 'foreign_key') !== null) {
    // Whoever adds a reference has looked the record up before: it was deleted in between.
    if (!/^\s*delete\b/i.test((error as DriverError).query ?? '')) return notFound();
    return conflict('in_use', 'Other records still refer to this one. Change or delete those first.');
  }
  return null;
}
