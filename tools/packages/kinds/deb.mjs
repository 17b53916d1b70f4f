import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { missingProgram, program } from '../programs.mjs';

export const missing = () => missingProgram('dpkg-deb');

/** Builds the Debian package with its systemd units. */
export async function build({ version, architecture, folder, tree }) {
  const root = `${tree}-deb`;
  await rm(root, { recursive: true, force: true });
  await cp(tree, path.join(root, 'usr/lib/runward'), { recursive: true, verbatimSymlinks: true });
  await cp(inRoot('deploy/systemd'), path.join(root, 'lib/systemd/system'), { recursive: true });
  await mkdir(path.join(root, 'usr/bin'), { recursive: true });
  await cp(inRoot('deploy/debian/runward'), path.join(root, 'usr/bin/runward'));
  await mkdir(path.join(root, 'etc/runward'), { recursive: true });
  await cp(inRoot('deploy/debian/runward.env'), path.join(root, 'etc/runward/runward.env'));
  await addControlFiles(path.join(root, 'DEBIAN'), version, architecture);
  const name = `runward_${version}_${architecture}.deb`;
  // zstd would be faster, but Debian 11 cannot read it.
  await program('dpkg-deb', ['--build', '--root-owner-group', '-Zgzip', root, path.join(folder, name)]);
  await rm(root, { recursive: true, force: true });
  return name;
}

async function addControlFiles(folder, version, architecture) {
  const source = inRoot('deploy/debian/control');
  await cp(source, folder, { recursive: true });
  const control = path.join(folder, 'control');
  const values = { VERSION: version, ARCHITECTURE: architecture };
  const text = (await readFile(control, 'utf8')).replaceAll(/\{(\w+)\}/g, (_, name) => values[name]);
  await writeFile(control, text);
  for (const name of await readdir(folder))
    await chmod(path.join(folder, name), /^(?:pre|post)/.test(name) ? 0o755 : 0o644);
}
