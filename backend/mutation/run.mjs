import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RULE_FILES } from './rule-files.mjs';

/**
 * Runs mutation tests on the rule files, area by area, and lists mutants that no spec detects: `npm run mutation [--
 * area…]`. Fails for a surviving mutant that `survivors.json` does not list with a reason.
 */
const root = path.resolve(import.meta.dirname, '../..');
const stryker = path.join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const config = path.join(import.meta.dirname, 'stryker.config.mjs');
const listedSurvivors = JSON.parse(readFileSync(path.join(import.meta.dirname, 'survivors.json'), 'utf8'));

const selectedAreas = process.argv.slice(2);
const names = RULE_FILES.map(({ name }) => name);
const unknown = selectedAreas.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`There is no area ${unknown.join(', ')}. Areas: ${names.join(', ')}.`);

function textAt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join('\n');
}

function mutantsOf(area) {
  const { files } = JSON.parse(readFileSync(path.join(root, `.cache/mutation/${area}.json`), 'utf8'));
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.map(({ status, location, replacement }) => ({
      file: file.replace(/^backend\/src\//, ''),
      line: location.start.line,
      status,
      code: textAt(source, location),
      replacement,
    })),
  );
}

const isListed = (mutant) =>
  listedSurvivors.some(
    ({ file, code, replacement }) =>
      [file, code, replacement].join('\0') === [mutant.file, mutant.code, mutant.replacement].join('\0'),
  );

let unlistedCount = 0;
for (const area of selectedAreas.length > 0 ? selectedAreas : names) {
  const { status } = spawnSync(process.execPath, [stryker, 'run', config], {
    cwd: root,
    env: { ...process.env, RUNWARD_MUTATION_AREA: area },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`Stryker ended with ${status} in the area ${area}.`);
  const mutants = mutantsOf(area).filter(({ status: each }) => each !== 'Ignored' && !/Error$/.test(each));
  const survivors = mutants.filter(({ status: each }) => each === 'Survived' || each === 'NoCoverage');
  const found = survivors.filter((mutant) => !isListed(mutant));
  const killed = mutants.length - survivors.length;
  const percent = ((100 * killed) / mutants.length).toFixed(1);
  console.log(
    `${area}: ${killed} of ${mutants.length} mutants killed (${percent} %), ${survivors.length - found.length} survivors listed`,
  );
  for (const { file, line, code, replacement } of found) console.log(JSON.stringify({ file, line, code, replacement }));
  unlistedCount += found.length;
}
if (unlistedCount > 0) {
  console.log(`${unlistedCount} survivors are not listed: write a test that finds each, or list it with its reason.`);
  process.exitCode = 1;
}
