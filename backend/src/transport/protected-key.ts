import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { KeyMaterialError } from './key-material-error.js';

/** The key file itself says how often its passphrase is hashed; a hostile one says "for years". */
const LONGEST_PARSE_MS = 15_000;

type Answer = { pem: string; comment: string } | { error: string };

/** Given as text because a thread needs a file of plain JavaScript, which there is not before the build. */
const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { utils } = require(workerData.library);
  const key = utils.parseKey(workerData.text, workerData.passphrase);
  parentPort.postMessage(key instanceof Error ? { error: key.message } : { pem: key.getPrivatePEM(), comment: key.comment });
`;

/**
 * Opens a passphrase-protected key in a thread of its own: deriving the cipher key takes some 300 ms of computing,
 * during which nobody else should have to wait.
 *
 * @throws Error with ssh2's own words; KeyMaterialError if it takes unreasonably long
 */
export function parseProtectedKey(text: string, passphrase: string): Promise<{ pem: string; comment: string }> {
  const library = createRequire(import.meta.url).resolve('ssh2');
  const worker = new Worker(WORKER, { eval: true, workerData: { library, text, passphrase }, execArgv: [] });
  return new Promise<{ pem: string; comment: string }>((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          new KeyMaterialError('unsupported_key', 'Opening this key takes too long. Protect it with fewer rounds.'),
        ),
      LONGEST_PARSE_MS,
    );
    worker.once('message', (answer: Answer) => ('error' in answer ? reject(new Error(answer.error)) : resolve(answer)));
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(new Error('The thread ended without an answer.'));
    });
  }).finally(() => worker.terminate());
}
