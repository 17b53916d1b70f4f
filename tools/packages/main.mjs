/**
 * Builds the packages of a release: `npm run package -- [KIND…] [--architecture amd64|arm64] [--out FOLDER]`.
 * Without kinds it builds all that this machine can build.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { cacheDir, inRoot } from '../../scripts/lib/paths.mjs';
import { say } from '../../scripts/lib/terminal.mjs';
import * as chart from './kinds/chart.mjs';
import * as compose from './kinds/compose.mjs';
import * as deb from './kinds/deb.mjs';
import * as image from './kinds/image.mjs';
import * as sbom from './kinds/sbom.mjs';
import * as tarball from './kinds/tarball.mjs';
import { NODE_ARCHITECTURES } from './platform-packages.mjs';
import { createTree } from './tree.mjs';

/** Each kind exports `build(release)`, which returns the name of its file, and `missing()`, the program it lacks. */
const KINDS = { tarball, deb, image, chart, compose, sbom };
const SUMS = 'SHA256SUMS';

const { values, positionals } = parseArgs({
  options: {
    architecture: { type: 'string', default: process.arch === 'arm64' ? 'arm64' : 'amd64' },
    out: { type: 'string', default: inRoot('release') },
  },
  allowPositionals: true,
});
const unknown = positionals.filter((kind) => !(kind in KINDS));
if (unknown.length > 0)
  fail(`${unknown.join(', ')} is not a kind of package. Kinds: ${Object.keys(KINDS).join(', ')}.`);
if (!(values.architecture in NODE_ARCHITECTURES))
  fail(`${values.architecture} is not an architecture. Architectures: ${Object.keys(NODE_ARCHITECTURES).join(', ')}.`);

const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
const folder = path.resolve(values.out);
const tree = path.join(cacheDir, 'packages', values.architecture);
await mkdir(folder, { recursive: true });
await createTree(tree, version, values.architecture);

const release = { version, architecture: values.architecture, folder, tree };
for (const kind of positionals.length > 0 ? positionals : Object.keys(KINDS)) {
  const missing = await KINDS[kind].missing();
  if (missing && positionals.length > 0)
    fail(`A package of the kind ${kind} needs ${missing}. Install it and start again.`);
  if (missing) say(`${kind}: not built, because ${missing} is not installed`);
  else say(`${kind}: ${path.join(folder, await KINDS[kind].build(release))}`);
}
await writeSums();

async function writeSums() {
  const names = (await readdir(folder)).filter((name) => name !== SUMS).toSorted();
  const lines = [];
  for (const name of names) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path.join(folder, name)), hash);
    lines.push(`${hash.digest('hex')}  ${name}\n`);
  }
  await writeFile(path.join(folder, SUMS), lines.join(''));
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
