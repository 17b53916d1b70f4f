import type { InstallationWatch } from './installation/installation-watch.js';
import type { MasterKey } from './crypto/master-key.js';
import type { Settings } from './settings/settings.js';

/** What a process of Runward was started with: settings that were checked, a database that answers, the master key. */
export interface Runtime {
  settings: Settings;
  /** Connection URL of the database for the application; its sessions act as the application role. */
  databaseUrl: string;
  /**
   * Whose login that is: `own` can't get more rights than the application role has; `owner` is that of the database's
   * owner, who takes the application role and could give it back.
   */
  databaseLogin: 'own' | 'owner';
  /** Folder of the embedded database; absent for an outside one. */
  databaseFolder?: string;
  masterKey: MasterKey;
  /** Names this process in leases and logs: host, pid and a random part. */
  processName: string;
  /** Started by the process before its application; absent: the application starts one of its own. */
  watch?: InstallationWatch;
  /** Connections of the process' own pool; unless given, each kind of process knows how many it needs. */
  poolSize?: number;
}

/** Injection token of the `Runtime`. */
export const RUNTIME = Symbol('runtime');
