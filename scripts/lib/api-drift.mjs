/** Compares the committed API description and client types with those of the built product. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { breakingChanges, toBaseline } from './api-changes.mjs';
import { cacheDir, childEnvironment, inRoot, productNode, root } from './paths.mjs';

const DOCUMENT = 'openapi.json';
/** The API of the last release, by which `apiBreaks` decides. */
const RELEASED = 'released-api.json';
const CLIENT = 'frontend/src/api/schema.ts';
const LISTS = 'frontend/src/api/lists.ts';

/** @returns one line per differing file; empty = no difference */
export function apiDrift() {
  mkdirSync(cacheDir, { recursive: true });
  const fresh = path.join(cacheDir, DOCUMENT);
  const freshClient = path.join(cacheDir, 'schema.ts');
  const freshLists = path.join(cacheDir, 'lists.ts');
  call(productNode(), inRoot('backend/dist/openapi.js'), fresh, freshLists);
  call(productNode(), inRoot('node_modules/openapi-typescript/bin/cli.js'), fresh, '-o', freshClient);
  const drift = [];
  const place = firstDifference(readJson(inRoot(DOCUMENT)), readJson(fresh));
  if (place !== undefined) drift.push(`${DOCUMENT} differs from the built product at ${place || 'its root'}`);
  if (differs(CLIENT, freshClient)) drift.push(`${CLIENT} differs from what ${DOCUMENT} gives`);
  if (differs(LISTS, freshLists)) drift.push(`${LISTS} differs from the lists of the built product`);
  return drift;
}

/** @returns {string[]} one line per change that breaks clients of the last release */
export const apiBreaks = () => breakingChanges(readJson(inRoot(RELEASED)), readJson(inRoot(DOCUMENT)));

/** Makes the committed API description the one of the last release. */
export const releaseApi = () => writeFileSync(inRoot(RELEASED), toBaseline(readJson(inRoot(DOCUMENT))));

function differs(committed, fresh) {
  const input = readFileSync(fresh);
  const formatted = call(inRoot('node_modules/.bin/biome'), { input }, 'format', `--stdin-file-path=${committed}`);
  return readFileSync(inRoot(committed), 'utf8') !== formatted;
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

function call(command, ...args) {
  const options = typeof args[0] === 'object' ? args.shift() : {};
  // The client types exceed the default limit of 1 MB.
  const maxBuffer = 64 * 1024 * 1024;
  const stdio = [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
  return execFileSync(command, args, {
    cwd: root,
    env: childEnvironment(),
    encoding: 'utf8',
    maxBuffer,
    stdio,
    ...options,
  });
}

/** Returns the JSON path of the first difference; undefined = equal. The order of keys counts. */
function firstDifference(a, b, at = '') {
  if (Object.is(a, b)) return undefined;
  const both = typeof a === 'object' && typeof b === 'object' && a !== null && b !== null;
  if (!both || Array.isArray(a) !== Array.isArray(b)) return at;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const place = firstDifference(a[key], b[key], `${at}/${key}`);
    if (place !== undefined) return place;
  }
  return Object.keys(a).join('\0') === Object.keys(b).join('\0') ? undefined : at;
}
