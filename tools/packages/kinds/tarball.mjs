import path from 'node:path';
import { missingProgram, program } from '../programs.mjs';

export const missing = () => missingProgram('tar');

/** Builds the archive that runs after it is unpacked: `bin/runward start`. */
export async function build({ version, architecture, folder, tree }) {
  const name = `runward-${version}-linux-${architecture}`;
  const reproducible = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
  await program('tar', [
    ...['--create', '--gzip', '--file', path.join(folder, `${name}.tar.gz`), ...reproducible],
    ...[`--transform=s,^\\.,${name},S`, '--directory', tree, '.'],
  ]);
  return `${name}.tar.gz`;
}
