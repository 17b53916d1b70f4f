/**
 * Negative controls: copies of the built product with one defence removed. They prove that the checker detects the
 * missing defence. The product itself has no such switch.
 */
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * `kinds`: faults that the defence protects against. `changes`: file, text and replacement; the text must occur exactly
 * once.
 */
export const CONTROLS = {
  fence: {
    about: 'a worker continues without verifying that it still owns the run',
    kinds: ['stop-worker', 'cut-database'],
    changes: [
      [
        'executions/engine/lease/lease-rows.js',
        's.id = ${sliceId} and s.owner = ${owner} and s.epoch = ${epoch} and s.finished_at is null',
        's.id = ${sliceId} and ${owner}::text <> ${epoch}::int::text and s.finished_at is null',
      ],
      [
        'executions/engine/lease/lease-rows.js',
        'id = ${ref.executionId} and owner = ${owner} and epoch = ${epoch}',
        'id = ${ref.executionId} and ${owner}::text <> ${epoch}::int::text',
      ],
      [
        'executions/output/run-events.js',
        '(owner = ${owner} and epoch = ${epoch} and flush_seq < ${flush})',
        '${epoch}::int is not null',
      ],
      [
        'executions/output/run-events.js',
        'id = ${sliceId} and owner = ${owner} and epoch = ${epoch} and flush_seq < ${flush} and',
        'id = ${sliceId} and ${owner}::text <> ${epoch}::int::text and ${flush}::int is not null and',
      ],
      ['executions/store/run-store.js', 'head.owner === owner && head.epoch === epoch', 'true'],
      [
        'executions/store/run-store.js',
        'id = ${sliceId} and owner = ${owner} and epoch = ${epoch} and finished_at is null',
        'id = ${sliceId} and ${owner}::text <> ${epoch}::int::text',
      ],
      ['executions/engine/lease/lease.js', 'const VALIDITY_MS = 12_000', 'const VALIDITY_MS = 1e12'],
    ],
  },
  intent: {
    about: 'a worker that takes a run over ignores commands that may have started',
    kinds: ['kill-worker'],
    changes: [['executions/engine/step/stored-host-state.js', 'dispatchId: row.dispatch_id', 'dispatchId: null']],
  },
  course: {
    about: 'with strategy free, a host starts its next step regardless of failures on other hosts',
    kinds: ['kill-session', 'kill-worker'],
    changes: [['executions/lifecycle/segment-progress.js', "admission === 'cleanup' && !step.policy.always", 'false']],
  },
  guard: {
    about: 'two runs may hold one host at the same time',
    kinds: ['kill-api'],
    changes: [
      ['executions/lifecycle/overlap.js', '`host:${toCanonical', '`host:${Math.random()}:${toCanonical'],
      ['executions/lifecycle/overlap.js', '`host:${host.', '`host:${Math.random()}:${host.'],
    ],
  },
  journal: {
    about: 'a host does not find started commands in its journal',
    kinds: ['kill-worker', 'kill-session'],
    changes: [['transport/journal/journal-attach.js', '_rd=$_rr/$_ri;', '_rd=$_rr/elsewhere;']],
  },
};

export function buildWithout(name, dist, folder) {
  const { changes } = CONTROLS[name];
  const missing = changes.find(([file]) => !existsSync(path.join(dist, file)));
  if (missing) throw new Error(`This build has no ${missing[0]}: update e2e/chaos/controls.mjs.`);
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
  if (count !== 1)
    throw new Error(`${file} contains "${from}" ${count} times, not once: update e2e/chaos/controls.mjs.`);
  writeFileSync(
    file,
    text.replace(from, () => to),
  );
}
