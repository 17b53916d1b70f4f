import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { addAdminFoldersToPath } from './system-user.js';

const run = promisify(execFile);
const OPTIONS_OF_SU = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games' };

describe('administration programs', () => {
  it('are found when PATH lacks their folders', async () => {
    const { stdout } = await run('useradd', ['--help'], { env: addAdminFoldersToPath(OPTIONS_OF_SU) });
    expect(stdout).toMatch(/Usage: useradd/);
  });

  it('come after the folders in PATH', () => {
    expect(addAdminFoldersToPath({ PATH: '/opt/bin:/sbin' }).PATH).toBe('/opt/bin:/sbin:/usr/local/sbin:/usr/sbin');
    expect(addAdminFoldersToPath({}).PATH).toBe('/usr/local/sbin:/usr/sbin:/sbin');
  });

  it('are found by npm commands and their child processes', async () => {
    const script = path.resolve(import.meta.dirname, '../../../../../scripts/runward.mjs');
    const print = path.resolve(import.meta.dirname, '../../../../test/support/print-path.mjs');
    const { stdout } = await run(process.execPath, ['--import', print, script], { env: OPTIONS_OF_SU }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout.trim()).toBe(addAdminFoldersToPath(OPTIONS_OF_SU).PATH);
  });
});
