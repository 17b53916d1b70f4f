import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/common/database/embedded/embedded-postgres.js';
import type { EmbeddedPostgres } from '../../src/common/database/embedded/embedded-server.js';
import { chooseDatabaseUser, isRoot } from '../../src/common/database/embedded/system-user.js';
import { selfSignedCertificate } from './self-signed.js';

/** PostgreSQL on TCP, with passwords and a certificate. As root, it has its own disk. */
export interface TcpPostgres {
  server: EmbeddedPostgres;
  host: string;
  folder: string;
  /** Whether the data folder is a separate disk of 160 MiB. */
  onOwnDisk: boolean;
  stop(): Promise<void>;
}

const DISK_OPTIONS = 'size=160m';

/** @param rules lines for pg_hba.conf, in addition to those for the owner's socket */
export async function startTcpPostgres(rules: readonly string[]): Promise<TcpPostgres> {
  const top = await mkdtemp(path.join(tmpdir(), 'runward-tcp-'));
  const folder = path.join(top, 'data');
  await mkdir(folder);
  const onOwnDisk = isRoot() && isMountPoint(folder);
  const user = await chooseDatabaseUser();
  const files = path.join(top, 'files');
  await mkdir(files, { mode: 0o755 });
  for (const each of [top, folder]) await chmod(each, 0o755);
  const write = async (name: string, text: string): Promise<string> => {
    const file = path.join(files, name);
    await writeFile(file, text, { mode: 0o600 });
    if (user.needsSwitch) await chown(file, user.uid, user.gid);
    return file;
  };
  const { key, cert } = selfSignedCertificate('db.example.test');
  // A random loopback address, because other tests may listen on the same port.
  const host = `127.${1 + (process.pid % 250)}.${Math.floor(process.pid / 250) % 250}.${2 + Math.floor(Math.random() * 250)}`;
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    log: () => undefined,
    settings: {
      ...{ fsync: 'off', listen_addresses: host, min_wal_size: '32MB', max_wal_size: '48MB' },
      hba_file: await write('hba', ['local all all peer map=app', ...rules, ''].join('\n')),
      ssl_cert_file: await write('cert', cert),
      ssl_key_file: await write('key', key),
    },
  });
  return {
    ...{ server, host, folder, onOwnDisk },
    async stop() {
      await server.stop();
      if (onOwnDisk) execFileSync('umount', ['--lazy', folder]);
      await rm(top, { recursive: true, force: true });
    },
  };
}

/** Returns whether the folder could be mounted. A container without that right keeps it on the machine's disk. */
function isMountPoint(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', DISK_OPTIONS, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
