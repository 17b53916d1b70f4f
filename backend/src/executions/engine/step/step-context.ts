import type { AttemptClearance } from './attempt-clearance.js';
import type { JournalEntries } from '../connections/journal-entries.js';
import type { Lease } from '../lease/lease.js';
import type { RunConnections } from '../connections/run-connections.js';
import type { RunContext, RunHost } from '../connections/run-context.js';
import type { ProgressWriter } from '../progress/progress-writer.js';
import type { HostSlots } from '../connections/slots.js';
import type { StepCommands } from './step-commands.js';
import type { StepControl } from './step-control.js';

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
  keepsJournal: boolean;
  clearance: Pick<AttemptClearance, 'mayBegin'>;
  isNeededLater(host: RunHost): boolean;
  recoveryMs: number;
  outputLimits: { headBytes: number; tailBytes: number };
}
