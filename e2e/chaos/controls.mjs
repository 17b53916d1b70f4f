/**
 * Builds with one defence taken out, to see that the checker turns red without it: a copy of the built product whose
 * JavaScript is changed here. The product itself has no such switch.
 */
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** `kinds`: the faults that the defence is there for. A text that is not found exactly once is an error. */
export const CONTROLS = {
  fence: {
    about: 'a worker goes on without asking whether the run is still its own',
    kinds: ['stop-worker', 'cut-database'],
    changes: [
      [
        'executions/engine/lease.js',
        'where id = $1 and owner = $2 and epoch = $3 returning',
        'where id = $1 and $2::text <> $3::int::text returning',
      ],
      ['executions/output/run-events.js', '(owner = $4 and epoch = $5 and flush_seq < $6)', '$5::int is not null'],
      ['executions/run-store.js', 'fence && (head.owner !== fence.owner || head.epoch !== fence.epoch)', 'false'],
      ['executions/engine/lease.js', 'const ACT_WITHIN_MS = 12_000', 'const ACT_WITHIN_MS = 1e12'],
    ],
  },
  intent: {
    about: 'whoever takes a run over starts again what may have been started',
    kinds: ['kill-worker'],
    changes: [
      ['executions/lifecycle/decide.js', "status: host.dispatched ? 'UNKNOWN' : 'PENDING'", "status: 'PENDING'"],
    ],
  },
  guard: {
    about: 'two runs may hold one host at the same time',
    kinds: ['kill-api'],
    changes: [['executions/lifecycle/overlap.js', '`host:${', '`host:${Math.random()}:${']],
  },
  journal: {
    about: 'a host starts a dispatch again that it has started before',
    kinds: ['isolate-worker', 'stop-worker'],
    changes: [
      [
        'transport/journal-script.js',
        'if [ -e "$_rd.begin" ]; then read',
        'if rm -rf "$_rd" "$_rd.begin" "$_rr"/epoch.* "$_rr/closed"; false; then read',
      ],
    ],
  },
};

/** @returns {string} the folder of the changed build */
export function buildWithout(name, dist, folder) {
  const { changes } = CONTROLS[name];
  const missing = changes.find(([file]) => !existsSync(path.join(dist, file)));
  if (missing) throw new Error(`This build has no ${name} that could be taken out: there is no ${missing[0]}.`);
  const copy = path.join(folder, 'backend', 'dist');
  cpSync(dist, copy, { recursive: true });
  const modules = path.resolve(dist, '..', '..', 'node_modules');
  symlinkSync(modules, path.join(folder, 'node_modules'));
  symlinkSync(path.resolve(dist, '..', 'node_modules'), path.join(folder, 'backend', 'node_modules'));
  cpSync(path.resolve(dist, '..', 'package.json'), path.join(folder, 'backend', 'package.json'));
  for (const [file, from, to] of changes) change(path.join(copy, file), from, to);
  return copy;
}

function change(file, from, to) {
  const text = readFileSync(file, 'utf8');
  const count = text.split(from).length - 1;
  if (count !== 1) throw new Error(`${file} holds "${from}" ${count} times, not once: mend e2e/chaos/controls.mjs.`);
  writeFileSync(
    file,
    text.replace(from, () => to),
  );
}
