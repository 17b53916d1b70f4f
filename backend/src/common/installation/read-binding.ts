import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type Executor, row, sql } from '../database/sql.js';
import type { DatabaseIdentity, FolderIdentity, InstallationBinding, MachineIdentity } from './binding.js';

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const NETWORK_CARDS_FOLDER = '/sys/class/net';
const DEFAULT_PORT = '5432';

export interface BindingSource {
  executor: Executor;
  /** `DATABASE_URL`; undefined = the embedded database, which `executor` accesses as superuser. */
  databaseUrl: string | undefined;
  name: string | undefined;
}

export async function readBinding({ executor, databaseUrl, name }: BindingSource): Promise<InstallationBinding> {
  const machine = readMachineIdentity();
  return {
    environment: name ?? readKubernetesNamespace(),
    machine,
    folder: databaseUrl === undefined ? await readFolderIdentity(executor) : null,
    database: databaseUrl === undefined ? null : await readDatabaseIdentity(executor, databaseUrl, machine),
  };
}

async function readFolderIdentity(executor: Executor): Promise<FolderIdentity> {
  const folder = await row(executor, sql<{ path: string }>`select current_setting('data_directory') as path`);
  const path = await realpath(folder?.path ?? '');
  const { ino, birthtimeMs } = await stat(path);
  return { path, inode: String(ino), createdAt: birthtimeMs > 0 ? birthtimeMs : null };
}

async function readDatabaseIdentity(
  executor: Executor,
  url: string,
  machine: MachineIdentity,
): Promise<DatabaseIdentity> {
  const marks = await row(
    executor,
    sql<Omit<DatabaseIdentity, 'addresses'>>`
      select (select system_identifier::text from pg_control_system()) as "systemId", current_database() as name,
        'installation'::regclass::oid::bigint::int as "tableId"`,
  );
  if (!marks) throw new Error('The database does not identify itself.');
  return { ...marks, addresses: listDatabaseAddresses(url, machine) };
}

/** Returns `host:port` for each host of a connection URL. Loopback addresses and sockets include the machine. */
export function listDatabaseAddresses(url: string, { id }: Pick<MachineIdentity, 'id'>): string[] {
  const [, authority = '', query = ''] = /^[a-z]+:\/\/([^/?]*)[^?]*\??(.*)$/i.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const hosts = (parameters.get('host') ?? authority.slice(authority.lastIndexOf('@') + 1)).split(',');
  const ports = parameters.get('port')?.split(',') ?? [];
  return hosts.map((each, index) => {
    const host = decodeURIComponent(each);
    const [, name = '', port] = host.startsWith('/')
      ? [null, host]
      : (/^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? []);
    const at = port ?? ports[index] ?? ports[0] ?? DEFAULT_PORT;
    const local = name === '' || name.startsWith('/') || /^(localhost|127\.[\d.]+|\[?::1\]?)$/i.test(name);
    return local ? `local(${id ?? 'unknown'}):${at}` : `${name.toLowerCase()}:${at}`;
  });
}

function readMachineIdentity(): MachineIdentity {
  const inContainer = isInContainer();
  const id = readTextOrNull('/etc/machine-id') ?? readTextOrNull('/var/lib/dbus/machine-id');
  return { id, container: inContainer ? hostname() : null, cards: readNetworkCardAddresses(inContainer) };
}

const isInContainer = (): boolean =>
  existsSync('/.dockerenv') ||
  existsSync('/run/.containerenv') ||
  process.env.KUBERNETES_SERVICE_HOST !== undefined ||
  / \/ \/ [^\n]* - overlay /.test(readTextOrNull('/proc/self/mountinfo') ?? '');

/** MAC addresses of physical and virtual network cards. In a container, of all interfaces except loopback. */
function readNetworkCardAddresses(inContainer: boolean): string[] {
  if (!existsSync(NETWORK_CARDS_FOLDER)) return [];
  return readdirSync(NETWORK_CARDS_FOLDER)
    .filter((name) => inContainer || existsSync(`${NETWORK_CARDS_FOLDER}/${name}/device`))
    .map((name) => readTextOrNull(`${NETWORK_CARDS_FOLDER}/${name}/address`) ?? '')
    .filter((address) => /[1-9a-f]/.test(address))
    .sort();
}

function readKubernetesNamespace(): string | null {
  const namespace = readTextOrNull(NAMESPACE_FILE);
  return namespace === null ? null : `${namespace}@${process.env.KUBERNETES_SERVICE_HOST ?? ''}`;
}

function readTextOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}
