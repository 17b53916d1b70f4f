import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import type { RunStore } from '../../store/run-store.js';
import type { Lease } from '../lease/lease.js';
import type { RunConnections } from '../connections/run-connections.js';
import type { RunContext } from '../connections/run-context.js';
import type { HostSlots } from '../connections/slots.js';

export interface EngineContext {
  units: UnitOfWork;
  store: RunStore;
  runContext: RunContext;
  connections: RunConnections;
  lease: Lease;
  slots: HostSlots;
  settings: EngineSettings;
}

export interface EngineSettings {
  outputLimitBytes: number;
  hostJournal: boolean;
  recoverySeconds: number;
  /** Null: chosen by the number of workers. */
  sliceHosts: number | null;
}
