import { VISIBLE_LINE_PATTERN } from '../text/visible-text.js';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { PROXY_FORMS, parseProxyNetworks } from '../network/client-address.js';
import { PROXY_VARIABLES } from '../network/outgoing-proxy.js';
import { REFUSED_FORMS, parseRefusedNetworks, DEFAULT_REFUSED_NETWORKS } from '../network/refused-addresses.js';
import { EnvReader } from './env-reader.js';
import { readSmtpSettings, type SmtpSettings } from './smtp-settings.js';

const PROCESS_ROLES = ['all', 'api', 'worker'] as const;
type ProcessRole = (typeof PROCESS_ROLES)[number];

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_FORMATS = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

const REQUEST_LOGS = ['all', 'slow', 'off'] as const;
export type RequestLog = (typeof REQUEST_LOGS)[number];

/** All variables with the prefix RUNWARD_. Any other name with this prefix is a fault, which reveals typing errors. */
export const KNOWN_VARIABLES = [
  'RUNWARD_PORT',
  'RUNWARD_HOST',
  'RUNWARD_HEALTH_PORT',
  'RUNWARD_METRICS_TOKEN',
  'RUNWARD_METRICS_TOKEN_FILE',
  'RUNWARD_DATABASE_APP_URL',
  'RUNWARD_DATABASE_APP_URL_FILE',
  'RUNWARD_PREPARED_STATEMENTS',
  'RUNWARD_DATA_DIR',
  'RUNWARD_MIN_FREE_DISK_MIB',
  'RUNWARD_MASTER_KEY',
  'RUNWARD_MASTER_KEY_FILE',
  'RUNWARD_NEW_MASTER_KEY',
  'RUNWARD_NEW_MASTER_KEY_FILE',
  'RUNWARD_ROLE',
  'RUNWARD_INSTALLATION',
  'RUNWARD_ADMIN_EMAIL',
  'RUNWARD_ADMIN_PASSWORD',
  'RUNWARD_ADMIN_PASSWORD_FILE',
  'RUNWARD_TENANT',
  'RUNWARD_DEMO',
  'RUNWARD_PUBLIC_URL',
  'RUNWARD_LOG_LEVEL',
  'RUNWARD_LOG_FORMAT',
  'RUNWARD_REQUEST_LOG',
  'RUNWARD_WORKERS',
  'RUNWARD_RUN_SLOTS',
  'RUNWARD_HOST_SLOTS',
  'RUNWARD_SLICE_HOSTS',
  'RUNWARD_CHECK_SLOTS',
  'RUNWARD_HOST_JOURNAL',
  'RUNWARD_RECOVERY_SECONDS',
  'RUNWARD_OUTPUT_LIMIT_BYTES',
  'RUNWARD_RATE_LIMIT_PER_MINUTE',
  'RUNWARD_TRUSTED_PROXIES',
  'RUNWARD_REFUSED_ADDRESSES',
  'RUNWARD_OUTGOING_PRIVATE',
  'RUNWARD_OUTGOING_CA_FILE',
  'RUNWARD_SMTP_URL',
  'RUNWARD_SMTP_URL_FILE',
  'RUNWARD_SMTP_FROM',
  'RUNWARD_SMTP_CA_FILE',
  'RUNWARD_GIT_CA_FILE',
  'RUNWARD_GIT_REPOSITORY_MIB',
  'RUNWARD_GIT_TIMEOUT_SECONDS',
  'RUNWARD_GIT_SYNC_SLOTS',
  'RUNWARD_BACKUP_DIR',
  'RUNWARD_BACKUP_EVERY',
  'RUNWARD_BACKUP_KEEP',
] as const;

/** Variables with a secret. `NAME_FILE` names a file that contains the value. */
const SECRET_VARIABLES = [
  'DATABASE_URL',
  'RUNWARD_DATABASE_APP_URL',
  'RUNWARD_ADMIN_PASSWORD',
  'RUNWARD_SMTP_URL',
  'RUNWARD_METRICS_TOKEN',
];

/** Scheduled backups. */
export interface BackupSettings {
  /** Absolute path. */
  readonly folder: string;
  /** Hours between two backups. */
  readonly everyHours: number;
  /** Number of backups to keep in the folder. */
  readonly keep: number;
}

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Port for health probes and metrics of the main process; undefined = none. */
  readonly healthPort: number | undefined;
  /** Bearer token for metrics from other machines; undefined = only this machine reads them. */
  readonly metricsToken: string | undefined;
  /** External PostgreSQL; undefined = the embedded one under `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Same database with a separate login for the application; undefined = sign in as the owner and set the role. */
  readonly databaseAppUrl: string | undefined;
  readonly preparedStatements: boolean;
  readonly dataDir: string;
  /** Free disk space below which no run begins, in MiB, for the embedded database. 0 = no limit. */
  readonly minFreeDiskMib: number;
  /** Source of the master key. At most one is set; neither = key file in the data folder. */
  readonly masterKey: { readonly base64?: string; readonly file?: string };
  /** New key, only for `npm run admin -- key rotate`. */
  readonly newMasterKey: Settings['masterKey'];
  readonly role: ProcessRole;
  /**
   * Name of the installation outside its database. A database with another name is a copy; undefined = not verified.
   */
  readonly installationName: string | undefined;
  /** Settings for the first tenant at the first start; undefined values are generated. */
  readonly firstAdmin: { readonly email?: string; readonly password?: string; readonly tenant?: string };
  readonly publicUrl: string;
  /** Whether the dashboard offers the guided tour of the demo. */
  readonly demo: boolean;
  readonly logLevel: LogLevel;
  /** `auto`: text on a terminal, otherwise JSON with start messages as text. */
  readonly logFormat: LogFormat;
  /** Requests with a line in the log, see `createRequestLog`. */
  readonly requestLog: RequestLog;
  /** Number of child worker processes of role `all`. */
  readonly workers: number;
  readonly runSlots: number;
  /** Maximum number of concurrent hosts per worker. The worker adapts the actual number to its capacity. */
  readonly hostSlots: number;
  /** Maximum number of hosts per slice of a step; null = derived from the number of workers. */
  readonly sliceHosts: number | null;
  /** Maximum number of concurrent scheduled and bulk checks per worker. */
  readonly checkSlots: number;
  /** Whether hosts keep a journal of running commands, so that a lost worker or connection loses no result. */
  readonly hostJournal: boolean;
  /** Time during which Runward queries a host for the result of a lost command, in seconds. */
  readonly recoverySeconds: number;
  /** Limit of stored output per host and step, in bytes. */
  readonly outputLimitBytes: number;
  /** Maximum number of requests per member, process and minute. */
  readonly rateLimitPerMinute: number;
  /** Addresses, networks and network names whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Addresses, networks and network names that no SSH connection may use, for all tenants. */
  readonly refusedAddresses: readonly string[];
  /** Private addresses and networks that the service may call for tenants: git remotes, webhooks, token issuers. */
  readonly outgoingPrivate: readonly string[];
  /** File with additional certificate authorities (PEM) for https calls; undefined = system authorities only. */
  readonly outgoingCaFile: string | undefined;
  /** Mail server; undefined = the installation sends no mail. */
  readonly smtp: SmtpSettings | undefined;
  /** File with certificate authorities (PEM) for https git remotes; undefined = system authorities. */
  readonly gitCaFile: string | undefined;
  readonly gitRepositoryMib: number;
  readonly gitTimeoutSeconds: number;
  readonly gitSyncSlots: number;
  /** Null = no scheduled backups. */
  readonly backup: BackupSettings | null;
}

/** Invalid settings. `faults` has one line per fault and contains no secret values. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

const ADDRESS_FORMS = 'an address, or a network such as 10.0.0.0/8';
const MIB = 1024 * 1024;
const WILDCARD_HOSTS = new Set(['0.0.0.0', '::', '*']);

/**
 * Reads and validates all settings. An empty value counts as absent, because compose files pass unset variables as
 * empty values.
 * @throws SettingsError with all faults
 */
export function readSettings(env: NodeJS.ProcessEnv, cwd = process.cwd(), cores = availableParallelism()): Settings {
  const read = new EnvReader(env, cwd);
  read.readSecretFiles(SECRET_VARIABLES);
  read.refuseUnknownVariables('RUNWARD_', KNOWN_VARIABLES);
  const host =
    read.readText('RUNWARD_HOST', { pattern: /^[\w.:%-]+$/, be: 'an address or a host name' }) ?? '127.0.0.1';
  const gitCaFile = read.readText('RUNWARD_GIT_CA_FILE');
  const smtpCaFile = read.readText('RUNWARD_SMTP_CA_FILE');
  const outgoingCaFile = read.readText('RUNWARD_OUTGOING_CA_FILE');
  const port = read.readInteger('RUNWARD_PORT', { min: 1, max: 65_535, defaultValue: 8080, be: 'a port (1-65535)' });
  const settings: Settings = {
    host,
    port,
    healthPort: read.readInteger('RUNWARD_HEALTH_PORT', {
      min: 1,
      max: 65_535,
      defaultValue: undefined,
      be: 'a port (1-65535)',
    }),
    metricsToken: read.readSecretToken('RUNWARD_METRICS_TOKEN'),
    databaseUrl: read.readDatabaseUrl('DATABASE_URL'),
    databaseAppUrl: read.readDatabaseUrl('RUNWARD_DATABASE_APP_URL'),
    preparedStatements: read.readChoice('RUNWARD_PREPARED_STATEMENTS', ['on', 'off'], 'on') === 'on',
    dataDir: resolve(cwd, read.readText('RUNWARD_DATA_DIR') ?? 'data'),
    minFreeDiskMib: read.readInteger('RUNWARD_MIN_FREE_DISK_MIB', { min: 0, max: MIB, defaultValue: 256 }),
    masterKey: readMasterKeySource(read, 'RUNWARD_MASTER_KEY', cwd),
    newMasterKey: readMasterKeySource(read, 'RUNWARD_NEW_MASTER_KEY', cwd),
    role: read.readChoice('RUNWARD_ROLE', PROCESS_ROLES, 'all'),
    installationName: read.readText('RUNWARD_INSTALLATION', {
      pattern: /^[\w.-]+$/,
      max: 63,
      be: 'a name of letters, digits, dots, dashes and underscores, at most 63 characters',
    }),
    firstAdmin: {
      email: read.readText('RUNWARD_ADMIN_EMAIL', { pattern: /^[^\s@]+@[^\s@]+$/, max: 254, be: 'an e-mail address' }),
      password: read.readPassword('RUNWARD_ADMIN_PASSWORD'),
      tenant: read.readText('RUNWARD_TENANT', {
        pattern: VISIBLE_LINE_PATTERN,
        max: 100,
        be: 'a name of at most 100 visible characters',
      }),
    },
    publicUrl: read.readWebAddress('RUNWARD_PUBLIC_URL') ?? toOwnAddress(host, port),
    demo: read.readChoice('RUNWARD_DEMO', ['on', 'off'], 'off') === 'on',
    logLevel: read.readChoice('RUNWARD_LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: read.readChoice('RUNWARD_LOG_FORMAT', LOG_FORMATS, 'auto'),
    requestLog: read.readChoice('RUNWARD_REQUEST_LOG', REQUEST_LOGS, 'slow'),
    workers: read.readInteger('RUNWARD_WORKERS', { min: 1, max: 256, defaultValue: Math.max(1, cores - 1) }),
    runSlots: read.readInteger('RUNWARD_RUN_SLOTS', { min: 1, max: 1000, defaultValue: 20 }),
    hostSlots: read.readInteger('RUNWARD_HOST_SLOTS', { min: 1, max: 10_000, defaultValue: 200 }),
    sliceHosts: read.readInteger('RUNWARD_SLICE_HOSTS', { min: 1, max: 100_000, defaultValue: null }),
    checkSlots: read.readInteger('RUNWARD_CHECK_SLOTS', { min: 1, max: 1000, defaultValue: 20 }),
    hostJournal: read.readChoice('RUNWARD_HOST_JOURNAL', ['on', 'off'], 'on') === 'on',
    recoverySeconds: read.readInteger('RUNWARD_RECOVERY_SECONDS', { min: 1, max: 86_400, defaultValue: 900 }),
    outputLimitBytes: read.readInteger('RUNWARD_OUTPUT_LIMIT_BYTES', {
      min: 65_536,
      max: 1024 * MIB,
      defaultValue: 16 * MIB,
    }),
    rateLimitPerMinute: read.readInteger('RUNWARD_RATE_LIMIT_PER_MINUTE', {
      min: 10,
      max: 100_000_000,
      defaultValue: 6000,
    }),
    trustedProxies: read.readList(
      'RUNWARD_TRUSTED_PROXIES',
      (entry) => parseProxyNetworks(entry) !== null,
      PROXY_FORMS,
    ),
    refusedAddresses: readRefusedAddresses(read, 'RUNWARD_REFUSED_ADDRESSES'),
    outgoingPrivate: read.readList(
      'RUNWARD_OUTGOING_PRIVATE',
      (entry) => /^[\da-f.:]+(\/|$)/i.test(entry) && parseRefusedNetworks(entry) !== null,
      ADDRESS_FORMS,
    ),
    outgoingCaFile: outgoingCaFile === undefined ? undefined : resolve(cwd, outgoingCaFile),
    smtp: readSmtpSettings(read, smtpCaFile === undefined ? undefined : resolve(cwd, smtpCaFile)),
    gitCaFile: gitCaFile === undefined ? undefined : resolve(cwd, gitCaFile),
    gitRepositoryMib: read.readInteger('RUNWARD_GIT_REPOSITORY_MIB', { min: 1, max: 65_536, defaultValue: 512 }),
    gitTimeoutSeconds: read.readInteger('RUNWARD_GIT_TIMEOUT_SECONDS', { min: 5, max: 3_600, defaultValue: 300 }),
    gitSyncSlots: read.readInteger('RUNWARD_GIT_SYNC_SLOTS', { min: 1, max: 100, defaultValue: 2 }),
    backup: readBackupSettings(read, cwd),
  };
  for (const name of PROXY_VARIABLES.flatMap((one) => [one, one.toLowerCase()])) read.requireProxy(name);
  if (settings.databaseAppUrl !== undefined && settings.databaseUrl === undefined)
    read.addFault('RUNWARD_DATABASE_APP_URL is set without DATABASE_URL: the embedded database has its own login.');
  if (settings.healthPort === settings.port && settings.role !== 'worker')
    read.addFault(`RUNWARD_HEALTH_PORT and RUNWARD_PORT are both ${port}; set another port for health and metrics.`);
  if (read.faults.length > 0) throw new SettingsError(read.faults);
  return settings;
}

const HOURS_PER_YEAR = 8_760;

function readBackupSettings(read: EnvReader, cwd: string): BackupSettings | null {
  const folder = read.readText('RUNWARD_BACKUP_DIR');
  const everyHours = read.readInteger('RUNWARD_BACKUP_EVERY', { min: 1, max: HOURS_PER_YEAR, defaultValue: null });
  const keep = read.readInteger('RUNWARD_BACKUP_KEEP', { min: 1, max: 10_000, defaultValue: null });
  if (folder !== undefined) return { folder: resolve(cwd, folder), everyHours: everyHours ?? 24, keep: keep ?? 7 };
  if (everyHours !== null || keep !== null)
    read.addFault('RUNWARD_BACKUP_EVERY and RUNWARD_BACKUP_KEEP need RUNWARD_BACKUP_DIR, the folder of the backups.');
  return null;
}

function readMasterKeySource(read: EnvReader, name: string, cwd: string): Settings['masterKey'] {
  const base64 = read.readMasterKey(name);
  const file = read.readText(`${name}_FILE`);
  if (base64 !== undefined && file !== undefined) read.addFault(`${name} and ${name}_FILE are both set; set only one.`);
  return { base64, file: file === undefined ? undefined : resolve(cwd, file) };
}

/** The word `none` is the empty list, because an empty value counts as unset. */
function readRefusedAddresses(read: EnvReader, name: string): readonly string[] {
  if (read.readText(name) === 'none') return [];
  const entries = read.readList(name, (entry) => parseRefusedNetworks(entry) !== null, REFUSED_FORMS);
  return entries.length > 0 ? entries : DEFAULT_REFUSED_NETWORKS;
}

/** Returns the default public address. Replaces a wildcard address, which browsers cannot open. */
function toOwnAddress(host: string, port: number): string {
  const name = WILDCARD_HOSTS.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
