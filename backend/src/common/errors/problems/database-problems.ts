import type { ProblemKind } from './problem-kind.js';

/**
 * Why the database is unusable, for responses, readiness, log and start. `advice` is for the operator of the
 * installation. Clients repeat the request after the seconds in `Retry-After`.
 */
export const DATABASE_PROBLEMS = {
  database_unavailable: {
    status: 503,
    title: 'Service unavailable',
    meaning: 'The database does not answer.',
    advice: 'Start the database, or correct its address.',
  },
  database_starting: {
    status: 503,
    title: 'Database starting or stopping',
    meaning: 'The database is starting up or shutting down.',
    advice: 'Wait until the database has started.',
  },
  database_unknown_host: {
    status: 503,
    title: 'Unknown database host',
    meaning: 'The host name of the database has no IP address.',
    advice: 'Correct the host in the address of the database, or its DNS record.',
  },
  database_full: {
    status: 503,
    title: 'Database disk full',
    meaning: 'The disk of the database is full. Nothing can be saved.',
    advice: 'Free space on the disk of the database, or enlarge it.',
  },
  database_memory: {
    status: 503,
    title: 'Database out of memory',
    meaning: 'The database has too little memory for this operation.',
    advice: 'Give the database more memory, or fewer connections.',
  },
  database_connections: {
    status: 503,
    title: 'Too many database connections',
    meaning: 'The database accepts no more connections.',
    advice: 'Raise max_connections of the database or the limit of its pooler, or run fewer processes.',
  },
  database_read_only: {
    status: 503,
    title: 'Database read-only',
    meaning: 'The database is a read-only standby, or its transactions are read-only.',
    advice: 'Use the address of the primary server, or list all servers with target_session_attrs=read-write.',
  },
  database_password: {
    status: 503,
    title: 'Database password refused',
    meaning: 'The database refused the password of the login.',
    advice: 'Correct the password in the address of the database.',
  },
  database_login: {
    status: 503,
    title: 'Database login refused',
    meaning: 'The database refused the login: it has no such role, or pg_hba.conf does not allow it.',
    advice: 'Create the role, or allow it in pg_hba.conf.',
  },
  database_tls_required: {
    status: 503,
    title: 'Database requires TLS',
    meaning: 'The database refuses this login without TLS.',
    advice: 'Add sslmode=verify-full to the address of the database, or allow the login in pg_hba.conf.',
  },
  database_tls_missing: {
    status: 503,
    title: 'Database without TLS',
    meaning: 'The address of the database requires TLS, but the server does not support it.',
    advice: 'Enable TLS on the database server, or set sslmode=disable on a trusted network.',
  },
  database_certificate: {
    status: 503,
    title: 'Database certificate refused',
    meaning: 'The certificate of the database is not trusted: unknown authority, different host name, or expired.',
    advice: 'Set the certificate authority with sslrootcert=/path/ca.pem in the address of the database.',
  },
  database_missing: {
    status: 503,
    title: 'No such database',
    meaning: 'The server has no database of this name.',
    advice: 'Create the database, or correct its name in the address.',
  },
  database_pooler: {
    status: 503,
    title: 'Pooler in transaction mode',
    meaning: 'A pooler in transaction mode is between Runward and the database. Runward needs session mode.',
    advice: 'Set the pooler to session mode (PgBouncer: pool_mode = session), or use the address of the server.',
  },
  database_conflict: {
    status: 503,
    title: 'Conflicting changes',
    meaning: 'Two changes at the same moment were in conflict. This one was rolled back.',
    advice: 'Send the request again.',
  },
  newer_schema: {
    status: 503,
    title: 'Newer version in use',
    meaning: 'A newer version of Runward has upgraded the database. This process no longer reads or writes it.',
    advice: 'End this process. Processes of the newer version answer.',
  },
  disk_space_low: {
    status: 503,
    title: 'Too little disk space',
    meaning: 'The disk of the database has less free space than RUNWARD_MIN_FREE_DISK_MIB. New runs are refused.',
    advice: 'Free space on the disk, for example by deleting old runs with retention rules.',
  },
} as const satisfies Record<string, ProblemKind>;
