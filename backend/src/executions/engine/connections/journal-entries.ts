import { v5 } from 'uuid';
import type { JournalEntry, RunIdentity } from '../../../transport/remote-command.js';

/**
 * Number of take-overs that can be distinguished within a step: those of the run times those of a slice per take-over.
 */
const GENERATIONS = 2 ** 40;
/** Spool size on the host beyond the storage limit, for trailers and for output that masking shortens. */
const SPARE_BYTES = 128 * 1024;

/** Folder on the host for the commands of a run. Several servers may be one machine, so each has a separate folder. */
export const journalFolder = (executionId: string, serverId: string): string => v5(serverId, executionId);

/**
 * Entries of a run's commands in the host journals.
 *
 * A host refuses a command whose number is lower than the highest number it has seen in the folder. So the number must
 * rise with each take-over: the lease generation counts take-overs of the run first, then those of the slice. It must
 * also never fall from one step to the next, even if the next step runs without a slice. Therefore the step index is
 * the most significant part.
 */
export class JournalEntries {
  constructor(
    private readonly executionId: string,
    private readonly speaker: RunIdentity,
    private readonly generation: number,
    private readonly outputLimitBytes: number,
  ) {}

  entry(
    stepIndex: number,
    serverId: string,
    dispatchId: string,
    stored: Pick<JournalEntry, 'forget' | 'remove'> = {},
  ): JournalEntry {
    return {
      speaker: this.speaker,
      folderId: journalFolder(this.executionId, serverId),
      dispatchId,
      generation: stepIndex * GENERATIONS + this.generation,
      spoolBytes: this.outputLimitBytes + SPARE_BYTES,
      ...stored,
    };
  }
}
