/** What identifies a machine or container. Compared by `isSameMachine` only. */
export interface MachineMarks {
  /** `/etc/machine-id`; null where there is none. */
  id: string | null;
  /** Host name of a container; null outside of one, where a machine may be renamed. */
  container: string | null;
  /** MAC addresses of its network cards, sorted. */
  cards: string[];
}

/** PostgreSQL's data folder of the embedded database. */
export interface FolderMarks {
  /** Without links. */
  path: string;
  inode: string;
  /** When the folder was created, in ms; no copy carries it over. Null where the file system does not record it. */
  createdAt: number | null;
}

/** An external database, as PostgreSQL and its address identify it. */
export interface DatabaseMarks {
  /** Of the database cluster, created by `initdb`. */
  systemId: string;
  name: string;
  /** Object id of the table `installation`: another one after a dump was restored. */
  tableId: number;
  /** `host:port` of `DATABASE_URL`; those that were used before as well, in a stored binding. */
  addresses: string[];
}

/** Where an installation's database is: what a copy of the database does not carry over. */
export interface InstallationBinding {
  /** `RUNWARD_INSTALLATION`, or the Kubernetes namespace; null: neither. */
  environment: string | null;
  machine: MachineMarks;
  folder: FolderMarks | null;
  database: DatabaseMarks | null;
}

/** Why a database can't be the continuation of the installation that it names. */
export type CopySign = 'environment' | 'machine' | 'folder' | 'server' | 'database' | 'address' | 'running';

/** `same`: as before. `restored`: a backup in the same place. `copy`: it may be a copy, or was moved. */
export type BindingVerdict = { kind: 'same' | 'restored' } | { kind: 'copy'; sign: CopySign };

/** A database may be reached by as many addresses. */
const MOST_ADDRESSES = 20;

/**
 * Whether a database at `present` continues the installation that acted at `stored`.
 * @param shared other processes of Runward use this very database: it is the one that lives
 */
export function judgeBinding(
  stored: InstallationBinding,
  present: InstallationBinding,
  shared: boolean,
): BindingVerdict {
  if (shared) return { kind: 'same' };
  if (stored.environment !== null && stored.environment !== present.environment)
    return { kind: 'copy', sign: 'environment' };
  if (stored.folder && present.folder) return judgeFolder(stored, present, stored.folder, present.folder);
  if (stored.database && present.database) return judgeDatabase(stored.database, present.database);
  // Moved from the embedded database to an external one, or back.
  return { kind: 'copy', sign: 'database' };
}

function judgeFolder(
  stored: InstallationBinding,
  present: InstallationBinding,
  before: FolderMarks,
  now: FolderMarks,
): BindingVerdict {
  const sameFolder = before.inode === now.inode && before.createdAt === now.createdAt;
  // A volume follows its container to another machine; the disk of a machine does so in a clone only.
  const inContainers = stored.machine.container !== null && present.machine.container !== null;
  const named = present.environment !== null && stored.environment === present.environment;
  const sameMachine = isSameMachine(stored.machine, present.machine) || named;
  if (sameFolder) return sameMachine || inContainers ? { kind: 'same' } : { kind: 'copy', sign: 'machine' };
  if (!sameMachine) return { kind: 'copy', sign: 'machine' };
  return before.path === now.path ? { kind: 'restored' } : { kind: 'copy', sign: 'folder' };
}

function judgeDatabase(before: DatabaseMarks, now: DatabaseMarks): BindingVerdict {
  if (before.systemId !== now.systemId) return { kind: 'copy', sign: 'server' };
  if (before.name !== now.name) return { kind: 'copy', sign: 'database' };
  if (!now.addresses.some((address) => before.addresses.includes(address))) return { kind: 'copy', sign: 'address' };
  return { kind: before.tableId === now.tableId ? 'same' : 'restored' };
}

/** A machine without any mark is never the same. */
export function isSameMachine(a: MachineMarks, b: MachineMarks): boolean {
  if (a.id !== b.id || a.container !== b.container) return false;
  const comparable = a.cards.length > 0 && b.cards.length > 0;
  return comparable ? a.cards.some((card) => b.cards.includes(card)) : a.id !== null && a.container === null;
}

/**
 * The binding to store once `present` continues `stored`: with the addresses that were used before, and with the data
 * folder where `present` reaches the embedded database by its address, as further processes on that machine may.
 */
export function continued(stored: InstallationBinding | null, present: InstallationBinding): InstallationBinding {
  if (!stored) return present;
  const { environment } = present;
  const { machine, folder } = present.folder ? present : { ...present, ...folderOf(stored) };
  return { environment, machine, folder, database: withAddressesOf(stored.database, present.database) };
}

/** The data folder with the machine that it is on; empty for an external database. */
const folderOf = ({ machine, folder }: InstallationBinding): Partial<InstallationBinding> =>
  folder ? { machine, folder } : {};

function withAddressesOf(before: DatabaseMarks | null, now: DatabaseMarks | null): DatabaseMarks | null {
  if (!before || !now) return now ?? before;
  const addresses = [...new Set([...now.addresses, ...before.addresses])];
  return { ...now, addresses: addresses.slice(0, MOST_ADDRESSES) };
}

/** One sentence for anybody: no path, no address. */
export const COPY_REASONS: Record<CopySign, string> = {
  environment: 'This database belongs to an installation of another name (RUNWARD_INSTALLATION).',
  machine: 'This database last ran on another machine.',
  folder: 'The data folder is a copy, or was moved to another file system.',
  server: 'This database last ran on another database server.',
  database: 'This database last ran under another name.',
  address: 'This database was reached at another address before.',
  running: 'Another process on this machine runs the same installation from another data folder.',
};
