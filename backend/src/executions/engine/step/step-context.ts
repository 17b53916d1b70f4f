import type { AttemptClearance } from './attempt-clearance.js';
import type { JournalEntries } from '../connections/journal-entries.js';
import type { Lease } from '../lease/lease.js';
import type { RunConnections } from '../connections/run-connections.js';
import type { RunContext, RunHost } from '../connections/run-context.js';
import type { ProgressWriter } from '../progress/progress-writer.js';
import type { HostSlots } from '../connections/slots.js';
import type { StepCommands } from './step-commands.js';
import type { StepControl } from './step-control.js';

/** Shared state of all hosts of a step that run in this worker. */
export interface StepContext {
  stepIndex: number;
  runContext: RunContext;
  commands: StepCommands;
  connections: RunConnections;
  writer: ProgressWriter;
  lease: Lease;
  slots: HostSlots;
  control: StepControl;
  journal: JournalEntries;
  /** Whether hosts are asked to keep a journal of commands that start now. */
  keepsJournal: boolean;
  clearance: Pick<AttemptClearance, 'mayBegin'>;
  /** Whether a later step of the run may need the host. */
  isNeededLater(host: RunHost): boolean;
  /** Time for which a host is asked for the result of a command, in ms. */
  recoveryMs: number;
  outputLimits: { headBytes: number; tailBytes: number };
}
