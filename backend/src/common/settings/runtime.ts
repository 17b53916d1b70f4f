import type { MasterKey } from '../crypto/master-key.js';
import type { Settings } from './settings.js';

export interface Runtime {
  settings: Settings;
  databaseUrl: string;
  /**
   * `own`: the login has no more rights than the application role. `owner`: the login owns the database and could leave
   * the application role.
   */
  databaseLogin: 'own' | 'owner';
  /** Folder of the embedded database; absent = external database. */
  databaseFolder?: string;
  masterKey: MasterKey;
  /** Name of this process in leases and logs: host, PID and a random part. */
  processName: string;
  poolSize?: number;
}

export const RUNTIME = Symbol('runtime');
