/**
 * Measures a large inventory through the API, without a worker: pages of the list, selectors over tags and facts, bulk
 * changes of all servers, and the request to check all servers. Prints milliseconds, size of the write-ahead log and
 * CPU time of the database. Build first. Usage: node tools/bench/inventory-cost.mjs [servers]
 *
 * Machines are shared and noisy: compare only values of one run.
 */
import { load, median, processorSeconds, startBench } from './lib/bench-runward.mjs';
import { storeServers } from './lib/stored-servers.mjs';

const SERVERS = Number(process.argv[2] ?? 10_000);
const ROUNDS = 15;
const LIST = '/api/inventory/servers';

const bench = await startBench();
try {
  console.log(`${SERVERS} servers; load ${load()}`);
  const { environmentId } = await storeServers(bench, SERVERS);
  const middlePage = await pageAfter(LIST + '?sort=name&limit=200', Math.floor(SERVERS / 200 / 2));
  const lastPage = await pageAfter(LIST + '?sort=name&limit=200', Math.floor(SERVERS / 200) - 1);
  await measureMedian('list by name, first page of 50', `${LIST}?sort=name`);
  await measureMedian('list by name, first page of 200', `${LIST}?sort=name&limit=200`);
  await measureMedian('list by name, page of 200 in the middle', middlePage);
  await measureMedian('list by name, last page of 200', lastPage);
  await measureMedian('list by time of check', `${LIST}?sort=checkedAt`);
  await measureMedian('list of a state', `${LIST}?state=reachable`);
  await measureMedian('one by its name', `${LIST}?name=server-77`);
  await measureMedian('selector over a tag (1 in 10)', `${LIST}?selector=role%3Drole-3`);
  await measureMedian('selector over a tag (one)', `${LIST}?selector=number%3D77`);
  await measureMedian('selector over a fact (1 in 4)', `${LIST}?selector=facts.os%3Dos-1`);
  await measureMedian(
    'selector over two facts and a tag',
    `${LIST}?selector=facts.os%3Dos-1,facts.cpus%3D4,role%3Drole-3`,
  );
  await measureMedian('names that begin alike', `${LIST}?selector=name%3Dserver-77*`);
  await measureMedian('list with its count', `${LIST}?count=true`);

  const all = { environmentId };
  await measureOnce('request of checks of all', () => bench.send('POST', `${LIST}/checks`, all));
  await measureOnce('the same request again', () => bench.send('POST', `${LIST}/checks`, all));
  const change = (body) => ({ filter: {}, expectedCount: SERVERS, action: 'change', ...body });
  const changeServers = (body) => bench.send('POST', `${LIST}/bulk`, change(body));
  await measureOnce('preview of a tag for all', () =>
    bench.send('POST', `${LIST}/bulk?preview=true`, change({ addTags: { team: 'a' } })),
  );
  await measureOnce('a tag for all', () => changeServers({ addTags: { team: 'a' } }));
  await measureOnce('another value of it', () => changeServers({ addTags: { team: 'b' } }));
  await measureOnce('all switched off', () => changeServers({ enabled: false }));
  await measureOnce('the tag taken away', () => changeServers({ removeTags: ['team'] }));
  await measureOnce('nothing to change', () => changeServers({ removeTags: ['team'] }));
  console.log(`load ${load()}`);
} finally {
  await bench.close();
}

async function pageAfter(path, pages) {
  let cursor = null;
  for (let page = 0; page < pages; page += 1) {
    const { nextCursor } = await bench.get(path + (cursor ? `&cursor=${cursor}` : ''));
    cursor = nextCursor ?? cursor;
  }
  return cursor ? `${path}&cursor=${cursor}` : path;
}

async function measureMedian(what, path) {
  const times = [];
  for (let round = -3; round < ROUNDS; round += 1) {
    const from = performance.now();
    await bench.get(path);
    if (round >= 0) times.push(performance.now() - from);
  }
  console.log(`${what}: ${median(times).toFixed(1)} ms`);
}

async function measureOnce(what, work) {
  const before = await processorSeconds(bench.api);
  const { ms, walMb, databaseCpu } = await bench.cost(work);
  const api = (await processorSeconds(bench.api)) - before;
  console.log(
    `${what}: ${ms.toFixed(0)} ms, ${walMb.toFixed(1)} MB of log; CPU ${databaseCpu.toFixed(1)} s database, ${api.toFixed(1)} s API`,
  );
}
