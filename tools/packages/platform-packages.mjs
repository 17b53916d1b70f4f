/** Packages that contain programs for one platform: Node.js and PostgreSQL. */
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheDir, inRoot, npmCommand } from '../../scripts/lib/paths.mjs';

const run = promisify(execFile);

/** Debian's names of the architectures, and those of Node.js. */
export const NODE_ARCHITECTURES = { amd64: 'x64', arm64: 'arm64' };
const DOWNLOAD_LIMIT_MS = 300_000;

/**
 * Returns the folder of a package: the installed one, otherwise the locked version from the registry.
 *
 * @throws Error when the package does not have the checksum of the lock file
 */
export async function platformPackage(name) {
  const installed = inRoot('node_modules', name);
  if (existsSync(path.join(installed, 'package.json'))) return installed;
  const { packages } = JSON.parse(await readFile(inRoot('package-lock.json'), 'utf8'));
  const { version, integrity } = packages[`node_modules/${name}`];
  const folder = path.join(cacheDir, 'platform-packages', `${name.replace('/', '-')}-${version}`);
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const [npm, ...args] = npmCommand();
  const packed = await run(npm, [...args, 'pack', '--silent', '--pack-destination', folder, `${name}@${version}`], {
    timeout: DOWNLOAD_LIMIT_MS,
  });
  const archive = path.join(folder, packed.stdout.trim());
  const found = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} has the checksum ${found} instead of ${integrity}.`);
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
  await rm(archive);
  return folder;
}
