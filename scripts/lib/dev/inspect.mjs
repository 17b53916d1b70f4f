/** Loaded into each process of the back end when it is to be debugged: the API listens at one port, its worker at the next. */
import inspector from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

const port = Number(process.env.DEV_INSPECT_PORT);
const isWorker = process.argv.includes('--child-worker');
if (isMainThread) inspector.open(port + (isWorker ? 1 : 0), '127.0.0.1');
