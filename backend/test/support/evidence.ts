import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunLab } from './run-lab.js';

/** Files through which commands on the hosts and the test communicate. */
export interface Evidence {
  /** Lines that commands wrote to a file, in order; empty if the file does not exist. */
  marks: (file: string) => Promise<string[]>;
  /** Returns a shell command that waits for the file. */
  untilExists: (file: string) => string;
  /** Creates the file, so that waiting commands continue. */
  allow: (file: string) => Promise<void>;
}

/** @param lab called at each use, so that it may be started later */
export const evidenceIn = (lab: () => RunLab): Evidence => ({
  marks: async (file) => (await lab().left(file)).split('\n').filter(Boolean),
  untilExists: (file) => `until [ -e ${lab().evidence}/${file} ]; do sleep 0.05; done`,
  allow: (file) => writeFile(path.join(lab().evidence, file), ''),
});
