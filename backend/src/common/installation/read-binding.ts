import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type Executor, row, sql } from '../database/sql.js';
import type { DatabaseMarks, FolderMarks, InstallationBinding, MachineMarks } from './binding.js';

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const CARDS_FOLDER = '/sys/class/net';
const DEFAULT_PORT = '5432';

export interface BindingSource {
  executor: Executor;
  /** `DATABASE_URL`; undefined = the embedded database, which `executor` accesses as superuser. */
  databaseUrl: string | undefined;
  name: string | undefined;
}

export async function readBinding({ executor, databaseUrl, name }: BindingSource): Promise<InstallationBinding> {
  const machine = machineMarks();
  return {
    environment: name ?? kubernetesNamespace(),
    machine,
    folder: databaseUrl === undefined ? await folderMarks(executor) : null,
    database: databaseUrl === undefined ? null : await databaseMarks(executor, databaseUrl, machine),
  };
}

async function folderMarks(executor: Executor): Promise<FolderMarks> {
  const folder = await row(executor, sql<{ path: string }>`select current_setting('data_directory') as path`);
  const path = await realpath(folder?.path ?? '');
  const { ino, birthtimeMs } = await stat(path);
  return { path, inode: String(ino), createdAt: birthtimeMs > 0 ? birthtimeMs : null };
}

async function databaseMarks(executor: Executor, url: string, machine: MachineMarks): Promise<DatabaseMarks> {
  const marks = await row(
    executor,
    sql<Omit<DatabaseMarks, 'addresses'>>`
      select (select system_identifier::text from pg_control_system()) as "systemId", current_database() as name,
        'installation'::regclass::oid::bigint::int as "tableId"`,
  );
  if (!marks) throw new Error('The database does not identify itself.');
  return { ...marks, addresses: addressesOf(url, machine) };
}

/** Returns `host:port` for each host of a connection URL. Loopback addresses and sockets include the machine. */
export function addressesOf(url: string, { id }: Pick<MachineMarks, 'id'>): string[] {
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

function machineMarks(): MachineMarks {
  const inContainer = isContained();
  const id = textOf('/etc/machine-id') ?? textOf('/var/lib/dbus/machine-id');
  return { id, container: inContainer ? hostname() : null, cards: cardAddresses(inContainer) };
}

const isContained = (): boolean =>
  existsSync('/.dockerenv') ||
  existsSync('/run/.containerenv') ||
  process.env.KUBERNETES_SERVICE_HOST !== undefined ||
  / \/ \/ [^\n]* - overlay /.test(textOf('/proc/self/mountinfo') ?? '');

/** MAC addresses of physical and virtual network cards. In a container, of all interfaces except loopback. */
function cardAddresses(inContainer: boolean): string[] {
  if (!existsSync(CARDS_FOLDER)) return [];
  return readdirSync(CARDS_FOLDER)
    .filter((name) => inContainer || existsSync(`${CARDS_FOLDER}/${name}/device`))
    .map((name) => textOf(`${CARDS_FOLDER}/${name}/address`) ?? '')
    .filter((address) => /[1-9a-f]/.test(address))
    .sort();
}

function kubernetesNamespace(): string | null {
  const namespace = textOf(NAMESPACE_FILE);
  return namespace === null ? null : `${namespace}@${process.env.KUBERNETES_SERVICE_HOST ?? ''}`;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}
