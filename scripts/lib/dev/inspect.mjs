/** Loaded into each back-end process for debugging. The API uses the first port, its worker the next one. */
import inspector from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

const port = Number(process.env.DEV_INSPECT_PORT);
const isWorker = process.argv.includes('--child-worker');
if (isMainThread) inspector.open(port + (isWorker ? 1 : 0), '127.0.0.1');
