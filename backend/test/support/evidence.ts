import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunLab } from './run-lab.js';

/** What commands leave behind on the hosts, and what they wait for there. */
export interface Evidence {
  /** Lines that commands wrote to a file, in the order in which they came; none when it is not there. */
  marks: (file: string) => Promise<string[]>;
  /** Shell text that goes on once the file is there. */
  untilExists: (file: string) => string;
  /** Lets go on what waits for the file. */
  allow: (file: string) => Promise<void>;
}

/** @param lab is asked for at each use, so that it may be started later */
export const evidenceIn = (lab: () => RunLab): Evidence => ({
  marks: async (file) => (await lab().left(file)).split('\n').filter(Boolean),
  untilExists: (file) => `until [ -e ${lab().evidence}/${file} ]; do sleep 0.05; done`,
  allow: (file) => writeFile(path.join(lab().evidence, file), ''),
});
