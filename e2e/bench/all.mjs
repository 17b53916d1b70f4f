#!/usr/bin/env node
/**
 * Runs all benches with goals one after another, with the installed peers. Writes the figures to one JSON file and one
 * markdown table.
 *
 *   npm run bench [-- --only peers,requests --quick --out FOLDER]
 *
 * Takes about half an hour. With `--quick` it takes a few minutes: fewer hosts and rounds, to test the benches.
 * Machines are shared and noisy: quote ratios and processor time, and compare seconds only within one run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { toTable } from './lib/report.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    out: { type: 'string', default: inRoot('e2e/artifacts/bench') },
  },
});
/** Per bench: name, script, arguments of the full run, and arguments of the quick run (null: not included). */
const BENCHES = [
  ['peers', 'peers.mjs', [], ['--hosts', '20', '--rounds', '1']],
  ['thousand', 'peers.mjs', ['--jobs', 'lines', '--hosts', '1000', '--rounds', '3', '--peers', 'plain ssh2'], null],
  ['many-hosts', 'many-hosts.mjs', [], ['--hosts', '100']],
  ['lines', 'many-hosts.mjs', ['--hosts', '1000', '--lines', '200'], ['--hosts', '100', '--lines', '200']],
  ['requests', 'requests.mjs', [], ['--servers', '10', '--requests', '50']],
  ['watchers', 'watchers.mjs', [], ['--watchers', '20', '--seconds', '3']],
];

const selectedBenches = values.only?.split(',');
const unknown = selectedBenches?.filter((name) => !BENCHES.some(([known]) => known === name)) ?? [];
if (unknown.length > 0) {
  console.error(`Unknown bench: ${unknown.join(', ')}. Known: ${BENCHES.map(([name]) => name).join(', ')}.`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'runward-figures-'));
const rows = [];
const failed = [];
for (const [name, script, full, quick] of BENCHES) {
  const args = values.quick ? quick : full;
  if ((selectedBenches && !selectedBenches.includes(name)) || !args) continue;
  console.log(`\n${name}`);
  const json = join(folder, `${name}.json`);
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args, '--json', json], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code === 0) rows.push(...JSON.parse(readFileSync(json, 'utf8')).map((row) => ({ ...row, bench: name })));
  else failed.push(name);
}
rmSync(folder, { recursive: true });
mkdirSync(values.out, { recursive: true });
const machine = { processors: cpus().length, load: loadavg().map((each) => Number(each.toFixed(1))) };
const measured = { at: new Date().toISOString(), quick: values.quick, machine, failed, rows };
writeFileSync(join(values.out, 'bench.json'), `${JSON.stringify(measured, null, 2)}\n`);
writeFileSync(join(values.out, 'bench.md'), toTable(measured));
console.log(`\n${toTable(measured)}\nKept in ${values.out}`);
if (failed.length > 0) process.exitCode = 1;
