/**
 * Measures rendering of one template for many hosts: one job per host, one job at a time, compared with groups in all
 * threads that a tenant may use. Also measures how long ten files of another run of the same tenant take at the same
 * time, and the longest block of the event loop. Build first. Usage: node tools/bench/render-cost.mjs [hosts]
 * [rounds]
 *
 * Machines are shared and noisy: compare only values of one run.
 */
import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ThreadPool } from '../../backend/dist/common/threads/thread-pool.js';
import { TemplateRenderer } from '../../backend/dist/templates/rendering/template-renderer.js';
import { load, median } from './lib/bench-runward.mjs';

const HOSTS = Number(process.argv[2] ?? 1_000);
const ROUNDS = Number(process.argv[3] ?? 3);
/** About 4 KB of a typical configuration file. */
const CONTENT = `# {{ host.name }}
server { listen {{ port }}; server_name {{ names | join: ' ' }};
{% for n in (1..40) %}  location /{{ n }} { proxy_pass http://{{ host.name | downcase }}:{{ port }}/{{ host.tags.role | default: 'web' }}; } # {{ net | ipaddr: n }}
{% endfor %}}
`;
const HEAVY_TEMPLATE =
  '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}';

const values = [
  { name: 'port', value: 8080, secret: false },
  { name: 'names', value: ['a.example', 'b.example'], secret: false },
  { name: 'net', value: '10.0.0.0/16', secret: false },
  { name: 'TOKEN', value: 'a-secret-of-the-run', secret: true },
];
const pool = new ThreadPool();
const renderers = new TemplateRenderer(pool);
const queueShare = { tenantId: 'bench', asks: 'run' };
const requestOf = (index, content = CONTENT) => ({
  content,
  values,
  facts: { host: { name: `web-${index}`, tags: { role: index % 2 ? 'web' : 'db' } } },
  secrets: 'shown',
});

async function renderInGroups(count, content) {
  const renderer = renderers.of(queueShare);
  await Promise.allSettled(Array.from({ length: count }, (_, index) => renderer.render(requestOf(index, content))));
}

async function renderOneByOne(count, content) {
  const renderer = renderers.of(queueShare);
  for (let index = 0; index < count; index += 1)
    await renderer.render(requestOf(index, content)).catch(() => undefined);
}

async function timed(work) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  return { ms, cpuMs: (user + system) / 1000, stallMs: delay.max / 1e6 };
}

async function measureBeside(work) {
  const all = work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { ms } = await timed(() => renderInGroups(10));
  await all;
  return ms;
}

const report = (name, rows) =>
  console.log(
    `${name}: ${median(rows.map(({ ms }) => ms)).toFixed(0)} ms, processor ${(median(rows.map(({ cpuMs }) => cpuMs)) / HOSTS).toFixed(2)} ms a host, ` +
      `event loop held for at most ${Math.max(...rows.map(({ stallMs }) => stallMs)).toFixed(0)} ms`,
  );

console.log(
  `${HOSTS} hosts × one template, ${availableParallelism()} processors, ${pool.perTenant} threads for a tenant; load ${load()}`,
);
await renderInGroups(64);
const rows = { single: [], groups: [], besideSingle: [], besideGroups: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  rows.single.push(await timed(() => renderOneByOne(HOSTS)));
  rows.groups.push(await timed(() => renderInGroups(HOSTS)));
  rows.besideGroups.push(await measureBeside(() => renderInGroups(HOSTS)));
}
report('one host a job, one job at a time', rows.single);
report('in groups, in all threads', rows.groups);
console.log(
  `ratio ${(median(rows.groups.map(({ ms }, index) => ms / rows.single[index].ms))).toFixed(2)} of the time, ` +
    `${(median(rows.groups.map(({ cpuMs }, index) => cpuMs / rows.single[index].cpuMs))).toFixed(2)} of the processor`,
);
console.log(`ten files of another run at the same time: ${median(rows.besideGroups).toFixed(0)} ms`);
const heavy = await timed(() => renderInGroups(4, HEAVY_TEMPLATE));
console.log(
  `four files that take as long as they may: ${heavy.ms.toFixed(0)} ms, event loop held for at most ${heavy.stallMs.toFixed(0)} ms`,
);
console.log(`load ${load()}`);
await pool.onModuleDestroy();
