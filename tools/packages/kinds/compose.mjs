import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from '../../../scripts/lib/paths.mjs';

export const missing = () => null;

/** Writes the compose file that uses the image of this release. */
export async function build({ version, folder }) {
  const name = `runward-${version}.compose.yaml`;
  const text = await readFile(inRoot('deploy/container/compose.yaml'), 'utf8');
  const fileName = text.replaceAll('deploy/container/compose.yaml', name);
  await writeFile(
    path.join(folder, name),
    fileName.replaceAll('localhost/runward:latest', `localhost/runward:${version}`),
  );
  return name;
}
