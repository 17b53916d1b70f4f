import type { InstallationWatch } from './installation/installation-watch.js';
import type { MasterKey } from './crypto/master-key.js';
import type { Settings } from './settings/settings.js';

/** Validated environment of a Runward process: settings, database and master key. */
export interface Runtime {
  settings: Settings;
  /** Connection URL of the application; its sessions use the application role. */
  databaseUrl: string;
  /**
   * `own`: the login has no more rights than the application role. `owner`: login of the database owner, which can
   * leave the application role.
   */
  databaseLogin: 'own' | 'owner';
  /** Folder of the embedded database; absent for an external one. */
  databaseFolder?: string;
  masterKey: MasterKey;
  /** Name of this process in leases and logs: host, PID and a random part. */
  processName: string;
  /** Watch started before the application; absent: the application starts one. */
  watch?: InstallationWatch;
  /** Size of the connection pool; default: depends on the kind of process. */
  poolSize?: number;
}

export const RUNTIME = Symbol('runtime');
