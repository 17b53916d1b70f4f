import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KNOWN_VARIABLES, readSettings, SettingsError } from './settings.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const read = (env: NodeJS.ProcessEnv) => readSettings(env, '/srv/runward', 4);

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('have defaults', () => {
    expect(read({})).toEqual({
      demo: false,
      host: '127.0.0.1',
      port: 8080,
      databaseUrl: undefined,
      databaseAppUrl: undefined,
      preparedStatements: true,
      dataDir: '/srv/runward/data',
      minFreeDiskMib: 256,
      masterKey: { base64: undefined, file: undefined },
      newMasterKey: { base64: undefined, file: undefined },
      role: 'all',
      firstAdmin: { email: undefined, password: undefined, tenant: undefined },
      publicUrl: 'http://127.0.0.1:8080',
      logLevel: 'info',
      logFormat: 'auto',
      requestLog: 'slow',
      workers: 3,
      runSlots: 20,
      hostSlots: 200,
      sliceHosts: null,
      checkSlots: 20,
      hostJournal: true,
      recoverySeconds: 900,
      outputLimitBytes: 16 * 1024 * 1024,
      rateLimitPerMinute: 6000,
      trustedProxies: [],
      refusedAddresses: ['metadata'],
      outgoingPrivate: [],
      outgoingCaFile: undefined,
      smtp: undefined,
      gitCaFile: undefined,
      gitRepositoryMib: 512,
      gitTimeoutSeconds: 300,
      gitSyncSlots: 2,
      backup: null,
    });
  });

  it('read every value', () => {
    expect(
      read({
        RUNWARD_HOST: '::',
        RUNWARD_PORT: '9000',
        RUNWARD_DEMO: 'on',
        DATABASE_URL: 'postgres://u:p@db:5433/runward',
        RUNWARD_DATABASE_APP_URL: 'postgres://app:p@db:5433/runward',
        RUNWARD_PREPARED_STATEMENTS: 'off',
        RUNWARD_DATA_DIR: '/var/lib/runward',
        RUNWARD_MIN_FREE_DISK_MIB: '0',
        RUNWARD_MASTER_KEY: KEY,
        RUNWARD_NEW_MASTER_KEY_FILE: 'next.key',
        RUNWARD_ROLE: 'worker',
        RUNWARD_ADMIN_EMAIL: 'ada@example.org',
        RUNWARD_ADMIN_PASSWORD: ' with spaces around ',
        RUNWARD_TENANT: 'Ærø Ops',
        RUNWARD_PUBLIC_URL: 'https://runward.example.org/',
        RUNWARD_LOG_LEVEL: 'debug',
        RUNWARD_LOG_FORMAT: 'json',
        RUNWARD_REQUEST_LOG: 'all',
        RUNWARD_HEALTH_PORT: '9090',
        RUNWARD_METRICS_TOKEN: 'metrics-token-0123456789',
        RUNWARD_WORKERS: '2',
        RUNWARD_RUN_SLOTS: '5',
        RUNWARD_HOST_SLOTS: '10',
        RUNWARD_SLICE_HOSTS: '7',
        RUNWARD_CHECK_SLOTS: '8',
        RUNWARD_HOST_JOURNAL: 'off',
        RUNWARD_RECOVERY_SECONDS: '60',
        RUNWARD_OUTPUT_LIMIT_BYTES: '65536',
        RUNWARD_RATE_LIMIT_PER_MINUTE: '300',
        RUNWARD_TRUSTED_PROXIES: 'loopback, 10.1.0.0/16,2001:db8::1,',
        RUNWARD_REFUSED_ADDRESSES: 'metadata, 10.0.0.0/8,fe80::/10',
      }),
    ).toEqual({
      demo: true,
      host: '::',
      port: 9000,
      databaseUrl: 'postgres://u:p@db:5433/runward',
      databaseAppUrl: 'postgres://app:p@db:5433/runward',
      preparedStatements: false,
      dataDir: '/var/lib/runward',
      minFreeDiskMib: 0,
      masterKey: { base64: KEY, file: undefined },
      newMasterKey: { base64: undefined, file: '/srv/runward/next.key' },
      role: 'worker',
      firstAdmin: { email: 'ada@example.org', password: ' with spaces around ', tenant: 'Ærø Ops' },
      publicUrl: 'https://runward.example.org',
      logLevel: 'debug',
      logFormat: 'json',
      requestLog: 'all',
      healthPort: 9090,
      metricsToken: 'metrics-token-0123456789',
      workers: 2,
      runSlots: 5,
      hostSlots: 10,
      sliceHosts: 7,
      checkSlots: 8,
      hostJournal: false,
      recoverySeconds: 60,
      outputLimitBytes: 65_536,
      rateLimitPerMinute: 300,
      trustedProxies: ['loopback', '10.1.0.0/16', '2001:db8::1'],
      refusedAddresses: ['metadata', '10.0.0.0/8', 'fe80::/10'],
      outgoingPrivate: [],
      outgoingCaFile: undefined,
      smtp: undefined,
      gitCaFile: undefined,
      gitRepositoryMib: 512,
      gitTimeoutSeconds: 300,
      gitSyncSlots: 2,
      backup: null,
    });
  });

  it('treat an empty value as absent', () => {
    expect(read({ RUNWARD_PORT: '', RUNWARD_ADMIN_PASSWORD: '', DATABASE_URL: ' ' })).toEqual(read({}));
  });

  it('report all faults together', () => {
    expect(
      faultsOf({ RUNWARD_PORT: 'abc', RUNWARD_ROLE: 'boss', RUNWARD_LOG_LEVEL: 'loud', RUNWARD_WORKERS: '0' }),
    ).toEqual([
      'RUNWARD_PORT: "abc" is not a port (1-65535).',
      'RUNWARD_ROLE: "boss" is not one of all, api, worker.',
      'RUNWARD_LOG_LEVEL: "loud" is not one of error, warn, info, debug.',
      'RUNWARD_WORKERS: "0" is not a whole number from 1 to 256.',
    ]);
  });

  it.each(['0', '65536', '-1', '80.5', '0x50', '1e3'])('reject %s as a port', (port) => {
    expect(faultsOf({ RUNWARD_PORT: port })).toEqual([`RUNWARD_PORT: "${port}" is not a port (1-65535).`]);
  });

  it('reject a short token of metrics without its text, and one port for two servers', () => {
    expect(faultsOf({ RUNWARD_METRICS_TOKEN: 'canary', RUNWARD_PORT: '9090', RUNWARD_HEALTH_PORT: '9090' })).toEqual([
      'RUNWARD_METRICS_TOKEN is not 16 to 512 visible ASCII characters. Generate one with: openssl rand -base64 32',
      'RUNWARD_HEALTH_PORT and RUNWARD_PORT are both 9090; set another port for health and metrics.',
    ]);
  });

  it('report the valid forms for each invalid entry of a list', () => {
    const forms = 'an address, a network such as 10.0.0.0/8, or one of loopback, linklocal, uniquelocal';
    expect(faultsOf({ RUNWARD_TRUSTED_PROXIES: '10.0.0.1,proxy.local,0.0.0.0/0' })).toEqual([
      `RUNWARD_TRUSTED_PROXIES: "proxy.local" is not ${forms}.`,
      `RUNWARD_TRUSTED_PROXIES: "0.0.0.0/0" is not ${forms}.`,
    ]);
  });

  it('accept an empty list of refused addresses only as the word none', () => {
    const forms = 'an address, a network such as 10.0.0.0/8, or metadata (or none, alone)';
    expect(read({ RUNWARD_REFUSED_ADDRESSES: 'none' }).refusedAddresses).toEqual([]);
    expect(read({ RUNWARD_REFUSED_ADDRESSES: '' }).refusedAddresses).toEqual(['metadata']);
    expect(faultsOf({ RUNWARD_REFUSED_ADDRESSES: 'none,10.0.0.0/33,fe80::%eth0' })).toEqual(
      ['none', '10.0.0.0/33', 'fe80::%eth0'].map((entry) => `RUNWARD_REFUSED_ADDRESSES: "${entry}" is not ${forms}.`),
    );
  });

  it('suggest the nearest known setting for an unknown one', () => {
    expect(faultsOf({ RUNWARD_PROT: '1', RUNWARD_ZZZZZZZZZZZZ: '1' })).toEqual([
      'RUNWARD_PROT is not a known setting; did you mean RUNWARD_PORT?',
      'RUNWARD_ZZZZZZZZZZZZ is not a known setting.',
    ]);
  });

  it('reject two master keys', () => {
    expect(faultsOf({ RUNWARD_MASTER_KEY: KEY, RUNWARD_MASTER_KEY_FILE: 'key' })).toEqual([
      'RUNWARD_MASTER_KEY and RUNWARD_MASTER_KEY_FILE are both set; set only one.',
    ]);
  });

  describe('of secrets', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'runward-secrets-'));
    });
    afterAll(() => rm(folder, { recursive: true }));
    const fileWith = async (text: string) => {
      const path = join(folder, 'secret');
      await writeFile(path, text);
      return path;
    };
    const SECRETS = KNOWN_VARIABLES.filter((name) => name.endsWith('_FILE') && !name.includes('_CA_'))
      .map((name) => name.replace('_FILE', ''))
      .concat('DATABASE_URL');

    it('can be in files', async () => {
      const url = await fileWith('postgres://u:p@db/runward\n');
      expect(read({ DATABASE_URL_FILE: url }).databaseUrl).toBe('postgres://u:p@db/runward');
      expect(read({ RUNWARD_ADMIN_PASSWORD_FILE: await fileWith(' a long password \r\n') }).firstAdmin.password).toBe(
        ' a long password ',
      );
    });

    it.each(SECRETS)('%s is not set twice', (name) => {
      expect(faultsOf({ [name]: KEY, [`${name}_FILE`]: 'key' })).toContain(
        `${name} and ${name}_FILE are both set; set only one.`,
      );
    });

    it('name a file that cannot be used, without its text', async () => {
      expect(faultsOf({ DATABASE_URL_FILE: '/nowhere/url' })).toEqual([
        'DATABASE_URL_FILE: /nowhere/url cannot be read (ENOENT).',
      ]);
      expect(faultsOf({ DATABASE_URL_FILE: folder })[0]).toMatch(/cannot be read \(/);
      const path = await fileWith('\n');
      expect(faultsOf({ DATABASE_URL_FILE: path })).toEqual([`DATABASE_URL_FILE: ${path} is empty.`]);
      await fileWith('canary'.repeat(3_000));
      expect(faultsOf({ DATABASE_URL_FILE: path })).toEqual([
        `DATABASE_URL_FILE: ${path} has 18000 bytes; a secret has at most 16384.`,
      ]);
      await fileWith('mysql://canary');
      expect(faultsOf({ DATABASE_URL_FILE: path })).toEqual([
        'DATABASE_URL is not an address like postgres://user:password@host:5432/database.',
      ]);
    });
  });

  it.each(['HTTPS_PROXY', 'http_proxy'])('reject a proxy in %s that is no address', (name) => {
    const faults = ['canary:3128', 'socks5://user:canary@proxy'].flatMap((value) => faultsOf({ [name]: value }));
    expect(faults).toEqual(Array(2).fill(`${name} is not an address like http://proxy.example.org:3128.`));
    expect(faultsOf({ [name]: 'http://user:canary@proxy:3128' })).toEqual([]);
  });

  it('never repeat a secret value in a fault', () => {
    const faults = faultsOf({
      DATABASE_URL: 'mysql://root:canary@db/x',
      RUNWARD_MASTER_KEY: 'canary',
      RUNWARD_ADMIN_PASSWORD: 'canary',
      RUNWARD_PUBLIC_URL: 'https://u:canary@example.org',
    });
    expect(faults).toHaveLength(4);
    expect(faults.join('\n')).not.toContain('canary');
  });

  it.each([
    'postgresql://db/runward',
    'postgres:///runward?host=/run/postgresql',
    'postgres://app@/runward?host=/run/postgresql',
    'postgres://app:secret@[::1]:5432/runward?sslmode=require',
  ])('accept the database address %s', (url) => {
    expect(read({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  it('read a mail server with its login, and report faults without the password', () => {
    const from = 'Runward Ops <runward@example.org>';
    const smtp = (url: string) => read({ RUNWARD_SMTP_URL: url, RUNWARD_SMTP_FROM: from }).smtp;
    expect(smtp('smtps://ops%40x:p%25t@mail.example.org')).toEqual({
      ...{ host: 'mail.example.org', port: 465, secure: true, startTls: 'required', caFile: undefined },
      login: { user: 'ops@x', password: 'p%t' },
      from: { name: 'Runward Ops', address: 'runward@example.org' },
    });
    expect(smtp('smtp://[::1]:25?starttls=off')).toMatchObject({
      host: '::1',
      port: 25,
      startTls: 'off',
      login: undefined,
    });
    expect(smtp('smtp://mail.example.org')).toMatchObject({ port: 587, startTls: 'required' });
    for (const [url, fault] of [
      ['http://u:canary@mail', /not an address that begins with smtp/],
      ['smtp://u:canary@mail/path', /text after the host/],
      ['smtp://u:canary@mail?tls=no', /other than starttls/],
      ['smtps://u:canary@mail?starttls=off', /not allowed with smtps/],
      ['smtp://canary@mail', /user without a password/],
      ['smtp://u:canary%@mail', /written as %25/],
    ] as const) {
      const [line, ...more] = faultsOf({ RUNWARD_SMTP_URL: url, RUNWARD_SMTP_FROM: from });
      expect([line, more]).toEqual([expect.stringMatching(fault), []]);
      expect(line).not.toContain('canary');
    }
    expect(faultsOf({ RUNWARD_SMTP_URL: 'smtp://mail' })).toEqual([
      'RUNWARD_SMTP_URL is set without RUNWARD_SMTP_FROM, the sender of the mail.',
    ]);
    expect(faultsOf({ RUNWARD_SMTP_FROM: from })).toEqual([
      'RUNWARD_SMTP_FROM is set without RUNWARD_SMTP_URL, the server that sends the mail.',
    ]);
    expect(faultsOf({ RUNWARD_SMTP_URL: 'smtp://mail', RUNWARD_SMTP_FROM: 'Runward' })).toHaveLength(1);
  });

  it('accept the login of the application only with a database address', () => {
    expect(faultsOf({ RUNWARD_DATABASE_APP_URL: 'postgres://app:p@db/runward' })).toEqual([
      'RUNWARD_DATABASE_APP_URL is set without DATABASE_URL: the embedded database has its own login.',
    ]);
  });

  it('use a public address that a browser can open when listening on all addresses', () => {
    expect(read({ RUNWARD_HOST: '0.0.0.0' }).publicUrl).toBe('http://localhost:8080');
    expect(read({ RUNWARD_HOST: '::1' }).publicUrl).toBe('http://[::1]:8080');
  });

  it('document each variable in docs/settings.md', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../docs/settings.md'), 'utf8');
    expect(KNOWN_VARIABLES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
