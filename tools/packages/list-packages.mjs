import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot, npmCommand } from '../../scripts/lib/paths.mjs';
import { program } from './programs.mjs';

/**
 * Returns the packages that are used at run time.
 *
 * @param options of `npm ls`
 * @returns `folder` relative to the checkout, such as `node_modules/pg`, and `version`
 */
export async function listPackages(...options) {
  const [npm, ...args] = npmCommand();
  const found = await program(npm, [...args, 'ls', '--omit=dev', '--all', '--parseable', ...options], {
    cwd: inRoot(),
  });
  const { packages } = JSON.parse(await readFile(inRoot('package-lock.json'), 'utf8'));
  const folders = found.split('\n').map((folder) => path.relative(inRoot(), folder));
  return folders.flatMap((folder) => {
    const { version, link, devOptional } = packages[folder] ?? { link: true };
    // Optional peers, such as typescript, are in the list if they are installed for developers.
    return folder.includes('node_modules/') && !link && !devOptional ? [{ folder, version }] : [];
  });
}
