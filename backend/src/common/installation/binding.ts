/** Marks that identify a machine or container. Compare them only with `isSameMachine`. */
export interface MachineIdentity {
  /** `/etc/machine-id`; null if missing. */
  id: string | null;
  /** Host name of a container; null outside of containers, because a machine may be renamed. */
  container: string | null;
  /** MAC addresses of the network cards, sorted. */
  cards: string[];
}

export interface FolderIdentity {
  /** With symbolic links resolved. */
  path: string;
  inode: string;
  /** Creation time of the folder, in ms; a copy has another one. Null if the file system does not record it. */
  createdAt: number | null;
}

export interface DatabaseIdentity {
  /** System identifier of the database cluster, created by `initdb`. */
  systemId: string;
  name: string;
  /** Object ID of the table `installation`. Changes when a dump is restored. */
  tableId: number;
  /** `host:port` of `DATABASE_URL`. A stored binding also contains earlier addresses. */
  addresses: string[];
}

/** Location of an installation's database. A copy of the database has a different location. */
export interface InstallationBinding {
  /** `RUNWARD_INSTALLATION`, or else the Kubernetes namespace; null = neither exists. */
  environment: string | null;
  machine: MachineIdentity;
  folder: FolderIdentity | null;
  database: DatabaseIdentity | null;
}

export type CopySign = 'environment' | 'machine' | 'folder' | 'server' | 'database' | 'address' | 'running';

/** `same`: unchanged. `restored`: a backup at the same location. `copy`: a copy, or moved. */
export type BindingVerdict = { kind: 'same' | 'restored' } | { kind: 'copy'; sign: CopySign };

const MAX_KEPT_ADDRESSES = 20;

/**
 * Whether a database at `present` continues the installation bound to `stored`.
 * @param shared whether other Runward processes use this database, which proves that it is the live one
 */
export function compareBindings(
  stored: InstallationBinding,
  present: InstallationBinding,
  shared: boolean,
): BindingVerdict {
  if (shared) return { kind: 'same' };
  if (stored.environment !== null && stored.environment !== present.environment)
    return { kind: 'copy', sign: 'environment' };
  if (stored.folder && present.folder) return compareFolders(stored, present, stored.folder, present.folder);
  if (stored.database && present.database) return compareDatabases(stored.database, present.database);
  // The database moved from embedded to external, or back.
  return { kind: 'copy', sign: 'database' };
}

function compareFolders(
  stored: InstallationBinding,
  present: InstallationBinding,
  before: FolderIdentity,
  now: FolderIdentity,
): BindingVerdict {
  const sameFolder = before.inode === now.inode && before.createdAt === now.createdAt;
  // A container's volume may move to another machine with its container. A machine's disk appears on another machine
  // only in a clone.
  const areBothContainers = stored.machine.container !== null && present.machine.container !== null;
  const named = present.environment !== null && stored.environment === present.environment;
  const sameMachine = isSameMachine(stored.machine, present.machine) || named;
  if (sameFolder) return sameMachine || areBothContainers ? { kind: 'same' } : { kind: 'copy', sign: 'machine' };
  if (!sameMachine) return { kind: 'copy', sign: 'machine' };
  return before.path === now.path ? { kind: 'restored' } : { kind: 'copy', sign: 'folder' };
}

function compareDatabases(before: DatabaseIdentity, now: DatabaseIdentity): BindingVerdict {
  if (before.systemId !== now.systemId) return { kind: 'copy', sign: 'server' };
  if (before.name !== now.name) return { kind: 'copy', sign: 'database' };
  if (!now.addresses.some((address) => before.addresses.includes(address))) return { kind: 'copy', sign: 'address' };
  return { kind: before.tableId === now.tableId ? 'same' : 'restored' };
}

/** False if a machine has no mark. */
export function isSameMachine(a: MachineIdentity, b: MachineIdentity): boolean {
  if (a.id !== b.id || a.container !== b.container) return false;
  const areComparable = a.cards.length > 0 && b.cards.length > 0;
  return areComparable ? a.cards.some((card) => b.cards.includes(card)) : a.id !== null && a.container === null;
}

/**
 * Binding to store after `present` continues `stored`. Keeps earlier addresses. Also keeps the data folder if `present`
 * reaches the embedded database by its address, as additional processes on the machine do.
 */
export function mergeBindings(stored: InstallationBinding | null, present: InstallationBinding): InstallationBinding {
  if (!stored) return present;
  const { environment } = present;
  const { machine, folder } = present.folder ? present : { ...present, ...pickFolderBinding(stored) };
  return { environment, machine, folder, database: mergeAddresses(stored.database, present.database) };
}

const pickFolderBinding = ({ machine, folder }: InstallationBinding): Partial<InstallationBinding> =>
  folder ? { machine, folder } : {};

function mergeAddresses(before: DatabaseIdentity | null, now: DatabaseIdentity | null): DatabaseIdentity | null {
  if (!before || !now) return now ?? before;
  const addresses = [...new Set([...now.addresses, ...before.addresses])];
  return { ...now, addresses: addresses.slice(0, MAX_KEPT_ADDRESSES) };
}

/** Public texts: they contain no path and no address. */
export const COPY_REASONS: Record<CopySign, string> = {
  environment: 'This database belongs to an installation of another name (RUNWARD_INSTALLATION).',
  machine: 'This database last ran on another machine.',
  folder: 'The data folder is a copy, or was moved to another file system.',
  server: 'This database last ran on another database server.',
  database: 'This database last ran under another name.',
  address: 'This database was reached at another address before.',
  running: 'Another process on this machine runs the same installation from another data folder.',
};
