import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { missingProgram, program } from '../programs.mjs';

export const missing = () => missingProgram('tar');

/** Packs the Helm chart with the version of this release. */
export async function build({ version, folder, tree }) {
  const name = `runward-chart-${version}.tgz`;
  const root = `${tree}-chart`;
  await rm(root, { recursive: true, force: true });
  await cp(inRoot('deploy/helm'), root, { recursive: true });
  const manifest = path.join(root, 'runward', 'Chart.yaml');
  const text = await readFile(manifest, 'utf8');
  await writeFile(
    manifest,
    text.replace(/^version: .*/m, `version: ${version}`).replace(/^appVersion: .*/m, `appVersion: ${version}`),
  );
  await program('tar', ['--create', '--gzip', '--file', path.join(folder, name), '--directory', root, 'runward']);
  await rm(root, { recursive: true, force: true });
  return name;
}
